import { operation } from '@/graphql/operation';

export interface ViewerAndNamespaces {
  readonly viewer: {
    readonly name: string;
    readonly caller: string;
    readonly roles: readonly { readonly namespace: string | null; readonly role: string }[];
  };
  readonly namespaces: { readonly nodes: readonly { readonly id: string; readonly description: string }[] };
}

export const VIEWER = operation<ViewerAndNamespaces>(`
  query Viewer {
    viewer { name caller roles { namespace role } }
    namespaces(first: 200) { nodes { id description } }
  }
`);

export interface Rights {
  readonly viewer: {
    readonly permissions: readonly {
      readonly action: string;
      readonly allowed: boolean;
      readonly reason: string | null;
    }[];
  };
}

export const RIGHTS = operation<Rights, { namespace: string | null }>(`
  query Rights($namespace: String) {
    viewer { permissions(namespace: $namespace) { action allowed reason } }
  }
`);
