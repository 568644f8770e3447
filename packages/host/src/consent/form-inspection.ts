/**
 * What is suspicious about a form that a server puts to a person: servers must not ask for passwords and keys this way
 * (specification, elicitation), so that one which does is told apart before anything is typed.
 */

import type { JsonObject } from '@portico/sdk/server'

/** Words for the person, above the form; empty where nothing stands out. */
export function inspectForm(message: string, schema: JsonObject): readonly string[] {
  const asking = fieldsOf(schema).filter(({ text }) => SECRET.test(text))
  const names = asking.slice(0, MAX_NAMED).map(({ name }) => JSON.stringify(name.slice(0, 60)))
  if (names.length > 0) return [`It asks for what looks like a password or key (${names.join(', ')}). ${ADVICE}`]
  return SECRET.test(message.slice(0, MAX_TEXT)) ? [`It speaks of a password or key. ${ADVICE}`] : []
}

const ADVICE = 'A server must not ask for those in a form: what you type goes to it as it is.'
const MAX_NAMED = 5
const MAX_TEXT = 20_000
const MAX_FIELDS = 500

/** Whole words, or parts of names in camel case and with dashes, in the languages that are met most. */
const SECRET =
  /passw(?:or[dt]|d)|pass[-_ ]?(?:code|phrase|key)|\bpwd\b|secret|credential|\btokens?\b|(?:access|auth|api|bearer|refresh)[-_ ]?token|(?:api|access|private|secret|encryption|license)[-_ ]?key|seed[-_ ]?phrase|recovery[-_ ]?(?:code|phrase)|mnemonic|\bpin\b|\botp\b|one[-_ ]?time|\b2fa\b|\bcvv\b|\bcvc\b|credit[-_ ]?card|card[-_ ]?number|social[-_ ]?security|\bssn\b|\biban\b|kennwort|contrase(?:ñ|n)a|mot[-_ ]de[-_ ]passe|senha|parola d|wachtwoord|hasło|пароль|密码|密碼|パスワード|비밀번호/iu

interface Field {
  readonly name: string
  readonly text: string
}

function fieldsOf({ properties }: JsonObject): Field[] {
  if (typeof properties !== 'object' || properties === null) return []
  return Object.entries(properties)
    .slice(0, MAX_FIELDS)
    .map(([name, field]) => ({ name, text: `${spread(name)} ${describe(field)}`.slice(0, MAX_TEXT) }))
}

function describe(field: unknown): string {
  if (typeof field !== 'object' || field === null) return ''
  const { title, description, format, writeOnly } = field as { readonly [name: string]: unknown }
  return [title, description, format, writeOnly === true ? 'password' : '']
    .filter((one) => typeof one === 'string')
    .join(' ')
}

/** `userPin` and `user_pin` have the same words. */
function spread(name: string): string {
  return `${name} ${name.replace(/([a-z\d])([A-Z])/g, '$1 $2').replace(/[-_.]+/g, ' ')}`
}
