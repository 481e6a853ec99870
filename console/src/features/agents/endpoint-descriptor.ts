/** What somebody begins with who registers an HTTP endpoint: complete, and to be changed everywhere. */
export const ENDPOINT_DESCRIPTOR = {
  version: '1.0.0',
  agentType: 'commerce.order',
  description: 'Knows where each order is.',
  capabilities: [
    {
      name: 'order_query',
      description: 'Use it when a customer asks where an order is. Answers with its state.',
      inputSchema: { type: 'object', required: ['orderId'], properties: { orderId: { type: 'string' } } },
      outputSchema: { type: 'object', required: ['state'], properties: { state: { type: 'string' } } },
      idempotent: true,
    },
  ],
  endpoint: { url: 'http://127.0.0.1:8080/', healthPath: '/health' },
};
