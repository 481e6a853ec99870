import type { CancelReason, InstanceRef } from '@agent-reach/sdk/protocol';
import type { Instance } from '../../perceive/instance.js';
import type { Delivery } from '../attempts/delivery.js';

const MAX_INSTANCES = 1_000;
const MAX_EACH = 1_000;

/**
 * Asks instances to stop what they work on. One that has no connection at that moment is asked when the same process is
 * back, so that it doesn't work on for nobody.
 */
export class PendingCancels {
  readonly #pending = new Map<
    InstanceRef,
    { readonly incarnation: string; readonly reasons: Map<string, CancelReason> }
  >();

  constructor(private readonly delivery: Pick<Delivery, 'cancel'>) {}

  cancel(instance: Instance, dispatchId: string, reason: CancelReason): void {
    if (instance.link !== undefined) return this.delivery.cancel(instance, dispatchId, reason);
    const { incarnation } = instance.record;
    let pending = this.#pending.get(instance.ref);
    if (pending?.incarnation !== incarnation) {
      if (pending === undefined && this.#pending.size >= MAX_INSTANCES) return;
      pending = { incarnation, reasons: new Map() };
      this.#pending.set(instance.ref, pending);
    }
    if (pending.reasons.size < MAX_EACH) pending.reasons.set(dispatchId, reason);
  }

  /** An instance is back. */
  joined(instance: Instance): void {
    const pending = this.#pending.get(instance.ref);
    if (pending === undefined) return;
    this.#pending.delete(instance.ref);
    if (pending.incarnation !== instance.record.incarnation) return;
    for (const [dispatchId, reason] of pending.reasons) this.delivery.cancel(instance, dispatchId, reason);
  }

  gone(instance: Instance): void {
    if (this.#pending.get(instance.ref)?.incarnation === instance.record.incarnation)
      this.#pending.delete(instance.ref);
  }
}
