/**
 * The words that all servers share: what `our-server.ts` and the servers in `peers/` offer under the same names, so that
 * one list of checks fits them all. Plain data; nothing here is taken from any SDK.
 */

export const INSTRUCTIONS = 'Ring the bell before you enter.'

/** One red pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
/** A wave file of no samples. */
const SILENCE = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA='

export const allKinds = () => [
  { type: 'text' as const, text: 'plain words', annotations: { audience: ['user' as const], priority: 0.5 } },
  { type: 'image' as const, data: PIXEL, mimeType: 'image/png' },
  { type: 'audio' as const, data: SILENCE, mimeType: 'audio/wav' },
  { type: 'resource_link' as const, uri: 'note://welcome', name: 'welcome', mimeType: 'text/plain' },
  {
    type: 'resource' as const,
    resource: { uri: 'note://embedded', mimeType: 'text/plain', text: 'embedded words' },
  },
  { type: 'resource' as const, resource: { uri: 'note://pixel', mimeType: 'image/png', blob: PIXEL } },
]

/** Every byte there is. */
export const BYTES = Uint8Array.from({ length: 256 }, (_, at) => at)

const USERS = ['ada', 'alan', 'grace']
const LANGUAGES = ['dutch', 'danish', 'english']
const GREETINGS: { [language: string]: string[] } = { dutch: ['hoi', 'hallo'], danish: ['hej'], english: ['hello'] }
type Chosen = { readonly [name: string]: string }

export const TEMPLATE = 'users://{id}/profile{?tab}'
export const isUser = (id: string) => USERS.includes(id) || id.includes(' ')
export const listUsers = () => USERS.map((id) => ({ uri: `users://${id}/profile`, name: `user ${id}` }))

export const completeUser = (value: string) => USERS.filter((user) => user.startsWith(value))
export const completeTab = (value: string, { id = 'nobody' }: Chosen) =>
  [`${id}-posts`, `${id}-likes`].filter((tab) => tab.includes(value))
export const completeLanguage = (value: string) => LANGUAGES.filter((language) => language.startsWith(value))
export const completeGreeting = (value: string, { language = '' }: Chosen) =>
  (GREETINGS[language] ?? []).filter((word) => word.startsWith(value))
export const completeWord = (value: string) => Array.from({ length: 250 }, (_, at) => `${value}${at}`)

export const greeting = (language: string, word = 'something kind') => `Say ${word} in ${language}.`

/** Every simple field of a form. */
export const personForm = {
  type: 'object' as const,
  properties: {
    name: { type: 'string' as const, minLength: 1, maxLength: 40, description: 'What to call you' },
    age: { type: 'integer' as const, minimum: 0, maximum: 150 },
    height: { type: 'number' as const, minimum: 0.1 },
    email: { type: 'string' as const, format: 'email' as const },
    born: { type: 'string' as const, format: 'date' as const },
    subscribed: { type: 'boolean' as const, default: true },
  },
  required: ['name', 'age', 'height', 'email', 'born'],
}

/** Every way to offer choices: plain, titled, several, several with titles. */
export const choicesForm = {
  type: 'object' as const,
  properties: {
    size: { type: 'string' as const, enum: ['small', 'large'] },
    shade: {
      type: 'string' as const,
      oneOf: [
        { const: 'd', title: 'Dark' },
        { const: 'l', title: 'Light' },
      ],
    },
    colours: {
      type: 'array' as const,
      minItems: 1,
      items: { type: 'string' as const, enum: ['red', 'green', 'blue'] },
    },
    sides: {
      type: 'array' as const,
      items: {
        anyOf: [
          { const: 'red', title: 'Left' },
          { const: 'green', title: 'Right' },
        ],
      },
    },
  },
  required: ['size', 'shade', 'colours'],
}

export const defaultsForm = {
  type: 'object' as const,
  properties: {
    city: { type: 'string' as const, default: 'Delft' },
    seats: { type: 'integer' as const, default: 4 },
    window: { type: 'boolean' as const, default: true },
    colour: { type: 'string' as const, enum: ['red', 'green'], default: 'green' },
    extras: { type: 'array' as const, items: { type: 'string' as const, enum: ['tea', 'cake'] }, default: ['cake'] },
  },
}

export const nameForm = {
  type: 'object' as const,
  properties: { name: { type: 'string' as const } },
  required: ['name'],
}

export const SIGN_IN = 'https://example.com/sign-in?id=7'

export const thought = {
  systemPrompt: 'Be brief',
  maxTokens: 50,
  temperature: 0.2,
  stopSequences: ['END'],
  modelPreferences: { hints: [{ name: 'small' }], speedPriority: 1 },
}

export const question = (text: string) => ({ role: 'user' as const, content: { type: 'text' as const, text } })

/** A tool for the client's model to use. */
export const clock = {
  name: 'clock',
  description: 'Tells the time',
  inputSchema: { type: 'object' as const, properties: { zone: { type: 'string' } } },
}
