import type { CancelReason, DispatchFrame, RecallFrame } from '@agent-reach/sdk/protocol';
import type { Delivery } from '../execute/attempts/delivery.js';
import type { Instance } from '../perceive/instance.js';

/** Delivers to each instance in the way that it joined: over its WebSocket, or to its HTTP endpoint. */
export class DeliveryByTransport implements Delivery {
  constructor(
    private readonly webSocket: Delivery,
    private readonly http: Delivery,
  ) {}

  offer(instance: Instance, frame: DispatchFrame): void {
    this.#of(instance).offer(instance, frame);
  }

  cancel(instance: Instance, dispatchId: string, reason: CancelReason): void {
    this.#of(instance).cancel(instance, dispatchId, reason);
  }

  recall(instance: Instance, frame: RecallFrame): void {
    this.#of(instance).recall(instance, frame);
  }

  confirm(instance: Instance, dispatchId: string): void {
    this.#of(instance).confirm(instance, dispatchId);
  }

  #of(instance: Instance): Delivery {
    return instance.record.endpoint === undefined ? this.webSocket : this.http;
  }
}
