import type { CancelReason, DispatchFrame, RecallFrame } from '@agent-reach/sdk/protocol';
import type { AttemptEvents, Delivery } from '../execute/attempts/delivery.js';
import type { Instance } from '../perceive/instance.js';
import { SocketLink } from './socket-link.js';

/** Delivers over the WebSocket that the instance joined with. */
export class WebSocketDelivery implements Delivery {
  constructor(private readonly events: () => Pick<AttemptEvents, 'undeliverable'>) {}

  offer(instance: Instance, frame: DispatchFrame): void {
    const { link } = instance;
    if (link instanceof SocketLink && link.send(frame)) return;
    // Reported later, so that whoever offers has finished its own step.
    queueMicrotask(() => this.events().undeliverable(frame.dispatchId));
  }

  /** Tells the instance that an operator drains it. */
  drain(instance: Instance, reason: string, drainTimeoutMs: number): void {
    if (instance.link instanceof SocketLink) {
      instance.link.send({ type: 'drain', instance: instance.ref, reason, drainTimeoutMs });
    }
  }

  /** Tells the instance its lease without having been asked. */
  lease(instance: Instance): void {
    if (instance.link instanceof SocketLink) {
      instance.link.send({ type: 'heartbeat', instances: [{ instance: instance.ref, ...instance.lease.times }] });
    }
  }

  cancel(instance: Instance, dispatchId: string, reason: CancelReason): void {
    if (instance.link instanceof SocketLink) instance.link.send({ type: 'cancel', dispatchId, reason });
  }

  recall(instance: Instance, frame: RecallFrame): void {
    if (instance.link instanceof SocketLink) instance.link.send(frame);
  }

  confirm(instance: Instance, dispatchId: string): void {
    if (instance.link instanceof SocketLink) instance.link.send({ type: 'resultAck', dispatchId });
  }
}
