/** The shapes in which the browser server is asked and answers. */

export const REF = {
  type: 'string',
  pattern: '^(f[0-9]{1,4})?e[0-9]{1,6}$',
  description: 'From read_page: e12',
} as const

export const TAB = {
  type: 'string',
  maxLength: 10,
  description: 'Current unless given',
} as const

export const PAGE = {
  type: 'object',
  properties: {
    notice: { type: 'string', description: 'Whose words these are' },
    tab: { type: 'string' },
    url: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer', description: 'The answer of the site' },
    notices: { type: 'array', items: { type: 'string' }, description: 'What happened that was not asked for' },
  },
  required: ['notice', 'tab', 'url', 'title', 'notices'],
} as const

export const READ = {
  ...PAGE,
  properties: {
    ...PAGE.properties,
    text: { type: 'string', description: 'This part of the page' },
    start: { type: 'integer' },
    length: { type: 'integer', description: 'Characters of the whole' },
    next: { type: 'integer', description: 'Where the next part begins' },
  },
  required: [...PAGE.required, 'text', 'start', 'length'],
} as const

export const TABS = {
  type: 'object',
  properties: {
    notice: { type: 'string', description: 'Whose words these are' },
    tabs: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          tab: { type: 'string' },
          url: { type: 'string' },
          title: { type: 'string' },
          current: { type: 'boolean' },
        },
        required: ['tab', 'url', 'title', 'current'],
      },
    },
  },
  required: ['notice', 'tabs'],
} as const
