/** What text with variables may hold, by where it stands: secrets go into the environment and headers, nowhere else. */

import type { ConfigInput } from '../command/inputs.ts'
import { isSecretName, isSecretValue, type Variable, variablesOf } from '../command/variables.ts'
import type { ConfigText, Spot } from './config-text.ts'
import type { ConfigForm } from './form.ts'

/** What is known of the file while one of its entries is read. */
export interface EntryContext {
  readonly text: ConfigText
  readonly form: ConfigForm
  readonly inputs: ReadonlyMap<string, ConfigInput>
}

export type TextUse = 'command' | 'argument' | 'environment' | 'path' | 'url' | 'header'

/** Whether the text can be used; reports what is wrong with it. */
export function checkText(context: EntryContext, spot: Spot, use: TextUse, value: string): boolean {
  const { text } = context
  if (value.includes('\0') || (use === 'header' && /[\r\n]/.test(value))) {
    text.error(spot, 'The text holds a character that is not allowed here', 'Remove line breaks and NUL characters')
    return false
  }
  const isFine = variablesOf(value).every((variable) => checkVariable(context, spot, use, variable))
  if (isFine && (use === 'argument' || use === 'url') && isSecretValue(value)) {
    const remedy =
      use === 'argument' ? `Give it by "env" as \${secret:name}` : `Give it by "headers" as \${secret:name}`
    text.warn(spot, 'This looks like a key written out where others can read it', remedy)
  }
  return isFine
}

function checkVariable({ text, inputs }: EntryContext, spot: Spot, use: TextUse, variable: Variable): boolean {
  const { kind, name } = variable
  if (kind === 'unknown') {
    const remedy = `Use \${NAME}, \${env:NAME}, \${input:id} or \${secret:name}; write $\${ for the characters themselves`
    text.error(spot, 'The text holds a kind of variable that is not known', remedy)
    return false
  }
  if (kind === 'input' && !inputs.has(name)) {
    text.error(spot, `There is no input called ${JSON.stringify(name.slice(0, 64))}`, 'Add it to `inputs`')
    return false
  }
  const isSecret = kind === 'secret' || (kind === 'input' && inputs.get(name)?.password === true)
  const isOpen = use === 'argument' || use === 'command' || use === 'path'
  if (isSecret && isOpen) {
    const message = 'A secret in the arguments of a program can be read by every other program'
    text.error(spot, message, 'Give it by `env`; most programs read such values from their environment')
    return false
  }
  if (isSecret && use === 'url') {
    text.warn(spot, 'A secret in an address ends up in logs on the way', 'Give it by `headers` if the server allows')
  }
  if (kind === 'env' && use === 'argument' && isSecretName(name)) {
    text.warn(spot, `The value of ${name} will be seen by other programs in the arguments`, 'Give it by `env`')
  }
  return true
}
