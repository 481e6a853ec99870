import { writeFileSync } from 'node:fs';
import { buildReachSchema, printReachSchema } from './transport/graphql/schema.js';

// Writes the GraphQL schema to api/schema.graphql, wherever it is called from.
const file = new URL('../schema.graphql', import.meta.url);
writeFileSync(file, printReachSchema(await buildReachSchema()));
