/** What the tools that send documents give back. */

export const ANSWER_SCHEMA = {
  type: 'object',
  properties: {
    data: { description: 'What was asked for; parts that failed are null' },
    errors: {
      type: 'array',
      description: 'What went wrong, where only a part did',
      items: {
        type: 'object',
        properties: {
          message: { type: 'string', description: 'In the words of the service' },
          path: { type: 'array', description: 'Where in the data' },
        },
        required: ['message'],
      },
    },
  },
} as const
