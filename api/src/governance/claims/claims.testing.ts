import type {
  ClaimAnswer,
  ClaimedAttempt,
  ClaimedOutcome,
  ClaimKey,
  ClaimStore,
  KnownClaim,
  NewClaim,
} from '../../execute/idempotency/claims.port.js';

/** A claim of `agent:shop/web` on `shop/orders`. For tests only. */
export function newClaim(overrides: Partial<NewClaim> = {}): NewClaim {
  return {
    caller: 'agent:shop/web',
    requestId: 'r1',
    namespace: 'shop',
    target: { agent: 'orders', capability: 'order_create' },
    capability: 'order_create',
    paramsHash: 'hash-1',
    instance: 'shop/orders/one',
    incarnation: 'inc-1',
    dispatchId: 'd1',
    ...overrides,
  };
}

export function success(result: unknown): ClaimedOutcome {
  return { ok: true, result, instance: 'shop/orders/one', attempts: 1 };
}

export const UNKNOWN: ClaimedOutcome = {
  ok: false,
  error: { code: 'OUTCOME_UNKNOWN', message: 'nobody knows', retryable: false },
  instance: 'shop/orders/one',
  attempts: 1,
};

/** The store's answers as promises. */
export class Asked {
  constructor(private readonly store: ClaimStore) {}

  claim(claim: NewClaim): Promise<ClaimAnswer> {
    return new Promise((resolve) => this.store.claim(claim, resolve));
  }
  find(key: ClaimKey): Promise<KnownClaim | undefined> {
    return new Promise((resolve) => this.store.find(key, resolve));
  }
  move(key: ClaimKey, to: ClaimedAttempt): Promise<void> {
    return new Promise((resolve) => this.store.move(key, to, resolve));
  }
  finish(key: ClaimKey, dispatchId: string, outcome: ClaimedOutcome): Promise<void> {
    return new Promise((resolve) => this.store.finish(key, dispatchId, outcome, resolve));
  }
  /** What stands under the key now, as another claim of it is answered. */
  async known(key: ClaimKey): Promise<ClaimAnswer> {
    return await this.claim(newClaim({ ...key, dispatchId: 'other' }));
  }
}
