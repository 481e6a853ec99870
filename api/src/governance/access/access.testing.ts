import type { PrismaClient } from '../../storage/generated/client.js';
import { openPrisma } from '../../storage/prisma.js';
import type { Principal, Role } from './principal.js';

/** A person with one role, for tests; namespace null: in all. */
export function person(name: string, role: Role, namespace: string | null = null): Principal {
  return {
    caller: `user:${name}`,
    kind: 'USER',
    name,
    namespace: undefined,
    roles: [{ namespace, role }],
    scope: namespace === null ? { all: true } : { all: false, namespaces: new Set([namespace]) },
    agent: undefined,
    credential: { kind: 'SESSION', id: `session-of-${name}`, expiresAt: undefined },
  };
}

/** A client whose database can be taken away and brought back, for tests. */
export function switchable(prisma: PrismaClient): {
  readonly prisma: PrismaClient;
  setAway(away: boolean): void;
  close(): Promise<void>;
} {
  const nowhere = openPrisma('postgresql://nobody@127.0.0.1:1/none');
  let away = false;
  return {
    prisma: new Proxy(prisma, { get: (_, key) => Reflect.get(away ? nowhere : prisma, key) }),
    setAway: (value) => {
      away = value;
    },
    close: () => nowhere.$disconnect(),
  };
}
