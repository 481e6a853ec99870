import { createHash } from 'node:crypto';

/** The shop's world: small, and the same in every process without talking, so that any instance gives the same answer. */
export const NAMESPACE = 'demo';

export interface Product {
  readonly sku: string;
  readonly name: string;
  readonly cents: number;
}

export const PRODUCTS: readonly [Product, ...Product[]] = [
  { sku: 'KETTLE-17', name: 'Electric kettle 1.7 l', cents: 3990 },
  { sku: 'MUG-BLUE', name: 'Stoneware mug, blue', cents: 1250 },
  { sku: 'GRINDER-C2', name: 'Hand coffee grinder C2', cents: 6400 },
  { sku: 'SCALE-01', name: 'Kitchen scale, 0.1 g', cents: 2890 },
  { sku: 'FILTER-100', name: 'Paper filters, 100 pieces', cents: 590 },
  { sku: 'BEANS-ETH', name: 'Coffee beans Ethiopia, 500 g', cents: 1490 },
];

export const CUSTOMERS = ['c-1001', 'c-1002', 'c-1003', 'c-1004', 'c-1005', 'c-1006', 'c-1007', 'c-1008'] as const;

const ORDER_STATES = ['PAID', 'PACKED', 'SHIPPED', 'DELIVERED'] as const;

/** An order as the shop's books show it; undefined when there is none under this number. */
export function orderOf(
  orderId: string,
): { readonly state: string; readonly sku: string; readonly quantity: number } | undefined {
  const seed = numberOf(orderId);
  // One number in ten was never given out.
  if (seed % 10 === 0) return undefined;
  return {
    state: pick(ORDER_STATES, seed),
    sku: pick(PRODUCTS, seed >> 3).sku,
    quantity: 1 + ((seed >> 7) % 3),
  };
}

/** Pieces of a product in stock; it changes every minute, and now and then there are none. */
export function stockOf(sku: string, minute: number): number {
  return numberOf(`${sku} ${minute}`) % 9;
}

/** The same number for the same text, everywhere. */
function numberOf(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0);
}

/** The element that a number falls on. */
export function pick<T>(list: readonly [T, ...T[]], number: number): T {
  return list[number % list.length] ?? list[0];
}

export const pickAny = <T>(list: readonly [T, ...T[]]): T => pick(list, Math.floor(Math.random() * list.length));

/** Work takes time: resolves after `ms`, or rejects when the call is cancelled. */
export function work(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}
