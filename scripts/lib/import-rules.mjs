// The directions of DESIGN section 2, as data. A file may import its own layer and those that `imports` lists.

const SDK_CORE = ['sdk/protocol', 'sdk/decide'];

/** Packages and modules of Node that the core must not know: web frameworks, databases, sockets. */
const OUTSIDE =
  /^(express|@apollo\/|@as-integrations\/|graphql|type-graphql|@prisma\/|prisma|pg$|ws$|http-proxy|node:(net|http|https|http2|tls|dgram|fs|fs\/promises)$)/;

/** Runs in browsers too, and does nothing but compute. */
const ANY_NODE_MODULE = /^node:/;

/** @type {{ layer: string, path: string, imports: string[] | 'ALL', packages?: RegExp, why: string }[]} */
export const LAYERS = [
  {
    layer: 'sdk/protocol',
    path: 'sdk/src/protocol/',
    imports: [],
    packages: ANY_NODE_MODULE,
    why: 'the protocol knows nothing else',
  },
  {
    layer: 'sdk/decide',
    path: 'sdk/src/decide/',
    imports: ['sdk/protocol'],
    packages: ANY_NODE_MODULE,
    why: 'a decision is pure: protocol only',
  },
  { layer: 'sdk/client', path: 'sdk/src/client/', imports: SDK_CORE, why: 'the client knows protocol and decide' },
  { layer: 'sdk/cli', path: 'sdk/src/cli/', imports: [...SDK_CORE, 'sdk/client'], why: 'the command uses the client' },
  { layer: 'perceive', path: 'api/src/perceive/', imports: SDK_CORE, packages: OUTSIDE, why: 'perceive is core' },
  {
    layer: 'execute',
    path: 'api/src/execute/',
    imports: [...SDK_CORE, 'perceive'],
    packages: OUTSIDE,
    why: 'execute is core, above perceive',
  },
  {
    layer: 'deliver',
    path: 'api/src/deliver/',
    imports: [...SDK_CORE, 'perceive', 'execute', 'settings', 'telemetry'],
    why: 'delivery serves execute',
  },
  {
    layer: 'events',
    path: 'api/src/events/',
    imports: [...SDK_CORE, 'perceive', 'execute', 'storage', 'settings', 'telemetry'],
    why: 'events stand above the core',
  },
  {
    layer: 'storage',
    path: 'api/src/storage/',
    imports: ['sdk/protocol', 'settings', 'telemetry'],
    why: 'storage serves the features',
  },
  { layer: 'settings', path: 'api/src/settings', imports: ['sdk/protocol'], why: 'settings depend on nothing' },
  {
    layer: 'telemetry',
    path: 'api/src/telemetry/',
    imports: [...SDK_CORE, 'settings', 'perceive', 'execute', 'storage'],
    why: 'telemetry observes',
  },
  {
    layer: 'governance',
    path: 'api/src/governance/',
    imports: [...SDK_CORE, 'perceive', 'execute', 'storage', 'settings', 'telemetry'],
    why: 'governance owns durable data and feeds perceive',
  },
  {
    layer: 'transport',
    path: 'api/src/transport/',
    imports: [
      ...SDK_CORE,
      'perceive',
      'execute',
      'deliver',
      'events',
      'governance',
      'storage',
      'settings',
      'telemetry',
    ],
    why: 'ways in stand on everything but the wiring',
  },
  {
    layer: 'startup',
    path: 'api/src/startup/',
    imports: ['sdk/protocol', 'settings', 'storage', 'telemetry'],
    why: 'the start knows what it starts by interface',
  },
  { layer: 'wiring', path: 'api/src/', imports: 'ALL', why: 'wiring' },
  {
    layer: 'console',
    path: 'console/',
    imports: [...SDK_CORE, 'sdk/client'],
    why: 'the console speaks GraphQL to the API',
  },
  {
    layer: 'e2e',
    path: 'e2e/',
    imports: [...SDK_CORE, 'sdk/client', 'sdk/cli'],
    why: 'tests from outside drive the running product',
  },
];

/** How the SDK's packages are imported by name. */
export const PACKAGES = {
  '@agent-reach/sdk': 'sdk/client',
  '@agent-reach/sdk/protocol': 'sdk/protocol',
  '@agent-reach/sdk/decide': 'sdk/decide',
  '@agent-reach/api': 'wiring',
};

/** The layer of a path in the checkout; the first that matches. */
export const layerOf = (path) => LAYERS.find((layer) => path.startsWith(layer.path));
