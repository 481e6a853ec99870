import type { Link } from '../instance.js';

/**
 * Speaks for an instance that is only an HTTP endpoint. There is no connection that could be lost as a whole, so it is
 * open for ever; whether the endpoint can be reached is its instance's state.
 */
export class HttpLink implements Link {
  readonly isOpen = true;

  constructor(readonly id: string) {}
}
