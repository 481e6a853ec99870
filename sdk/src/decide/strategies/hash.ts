/** Spreads every bit of a 32-bit number over all bits of the answer. Source: the finaliser of MurmurHash3. */
export function mix32(value: number): number {
  let hash = value;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** FNV-1a with a final avalanche, 32 bits: stable across processes, versions and orders of registration. */
export function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return mix32(hash);
}

/** A second hash, independent of `hash32`: other start, other multiplier, so that texts that agree in one differ in the other. */
export function otherHash32(text: string): number {
  let hash = 0x2c1b3c6d;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x5f356495);
    hash ^= hash >>> 15;
  }
  return mix32(hash);
}

/** Both hashes as one whole number below 2^53: among 100,000 texts two agree once in two million such sets. */
export function hash53(text: string): number {
  return (otherHash32(text) & 0x1f_ffff) * 2 ** 32 + hash32(text);
}
