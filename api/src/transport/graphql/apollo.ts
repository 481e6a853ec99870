import { randomUUID } from 'node:crypto';
import { ApolloServer } from '@apollo/server';
import { ApolloServerPluginLandingPageDisabled } from '@apollo/server/plugin/disabled';
import type { GraphQLSchema } from 'graphql';
import type { GraphqlContext } from './context.js';
import { type ErrorLog, formatError } from './errors.js';
import { type RefusalPorts, recordRefusals } from './refusals.js';

/** Says nothing: what goes wrong is logged where errors are formatted, under the requestId. */
const SILENT = { debug(): void {}, info(): void {}, warn(): void {}, error(): void {} };

/** Apollo Server as this product uses it: no landing page, no batches, no queries by hash, no stack traces. */
export function createApollo(
  schema: GraphQLSchema,
  { log, recorder }: Pick<RefusalPorts, 'recorder'> & { readonly log: ErrorLog },
): ApolloServer<GraphqlContext> {
  // Apollo formats errors without saying whose they are, but reports them first with their request.
  const requestOf = new WeakMap<object, string>();
  return new ApolloServer<GraphqlContext>({
    schema,
    // Only the authenticated come as far as here.
    introspection: true,
    csrfPrevention: true,
    allowBatchedHttpRequests: false,
    persistedQueries: false,
    // A cache of whatever strangers send would be memory without use.
    documentStore: null,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    logger: SILENT,
    formatError: (_formatted, error) => {
      const requestId = typeof error === 'object' && error !== null ? requestOf.get(error) : undefined;
      return formatError(error, requestId ?? randomUUID(), log);
    },
    plugins: [
      ApolloServerPluginLandingPageDisabled(),
      {
        async requestDidStart() {
          return {
            async didEncounterErrors({ errors, contextValue }) {
              for (const error of errors) requestOf.set(error, contextValue.requestId);
              recordRefusals(recorder, contextValue, errors);
            },
          };
        },
      },
    ],
  });
}
