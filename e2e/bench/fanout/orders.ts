import type { Side } from '../messages.js';

/** Orders to the clients' process. */
export type FanoutOrder =
  | { readonly order: 'floor'; readonly url: string; readonly subscribers: number }
  | {
      readonly order: 'product';
      /** Of `/graphql` and of `/reach`. */
      readonly graphqlUrl: string;
      readonly reachUrl: string;
      /** Of those who subscribe. */
      readonly token: string;
      /** Of the agent whose socket dies. */
      readonly enrolmentKey: string;
      readonly subscribers: number;
    }
  | { readonly order: 'round'; readonly side: Side };

/** From the death of a socket, in ms. */
export interface FanoutRound {
  readonly firstMs: number;
  readonly lastMs: number;
  /** Of one message. */
  readonly bytes: number;
}
