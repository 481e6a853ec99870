/** The code that makes a task, for somebody who has none yet to start from. */
export const TASK_SNIPPET = `agent.handle(
  'order_export',
  {
    description: 'Exports all orders of a month. Use it for reports; answers where the file is.',
    input: { type: 'object', properties: { month: { type: 'string' } }, required: ['month'] },
    mode: 'TASK',
  },
  async ({ month }, ctx) => {
    ctx.progress({ done: 1, total: 3 });
    return { file: \`exports/\${month}.csv\` };
  },
);

// the caller
const task = await reach.startTask({ capability: 'order_export', params: { month: '2026-01' } });
const { file } = await task.result();
`;
