import type { Principal } from '../../governance/access/principal.js';

/** What the agent socket needs of access. */
export interface Authenticate {
  /** Throws UNAUTHENTICATED, or STORAGE_UNAVAILABLE for a token that can't be looked up now. */
  authenticate(secret: string): Promise<Principal>;
  /** Tells when a credential ends (expiry or revocation). Returns how to stop listening. */
  onEnded(listener: (credentialId: string) => void): () => void;
}
