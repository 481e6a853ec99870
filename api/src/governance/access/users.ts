import type { Prisma, PrismaClient } from '../../storage/generated/client.js';
import { Changes } from '../changes.js';
import type { RoleBinding, Scope } from './principal.js';

/** The person of the first start. */
export const FIRST_USER = 'admin';
export const FIRST_NAMESPACE = 'default';

/** What a principal needs of a user. */
export const USER_PARTS = {
  uid: true,
  name: true,
  disabled: true,
  roleBindings: { select: { namespaceId: true, role: true } },
} as const satisfies Prisma.UserSelect;

export type UserRow = Prisma.UserGetPayload<{ select: typeof USER_PARTS }>;

export function rolesOf(user: UserRow): readonly RoleBinding[] {
  return user.roleBindings.map(({ namespaceId, role }) => ({ namespace: namespaceId, role }));
}

/** People see the namespaces in which they have a role; a role in all of them shows all. */
export function scopeOfRoles(roles: readonly RoleBinding[]): Scope {
  const namespaces = new Set<string>();
  for (const { namespace } of roles) {
    if (namespace === null) return { all: true };
    namespaces.add(namespace);
  }
  return { all: false, namespaces };
}

/**
 * Makes what a new database lacks: the namespace `default`, and the user `admin` with ADMIN in all namespaces and no
 * password yet. Where there is any namespace or any user, that part is left as it is. Throws STORAGE_UNAVAILABLE.
 */
export async function ensureFirstStart(
  prisma: PrismaClient,
  options: { readonly changes?: Changes } = {},
): Promise<void> {
  const changes = options.changes ?? new Changes(prisma);
  if ((await prisma.namespace.findFirst({ select: { id: true } })) === null) {
    await changes.run({ caller: 'system' }, async (tx) => {
      const { id } = await tx.namespace.create({ data: { id: FIRST_NAMESPACE } });
      return { action: 'namespace.create', namespace: id, target: id, after: { id }, result: undefined };
    });
  }
  if ((await prisma.user.findFirst({ select: { uid: true } })) === null) {
    await changes.run({ caller: 'system' }, async (tx) => {
      await tx.user.create({ data: { name: FIRST_USER, roleBindings: { create: { role: 'ADMIN' } } } });
      const after = { name: FIRST_USER, roles: [{ namespace: null, role: 'ADMIN' }] };
      return { action: 'user.create', namespace: '', target: `user:${FIRST_USER}`, after, result: undefined };
    });
  }
}
