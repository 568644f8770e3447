/**
 * Values that a person is asked for when a server is first used: VS Code's `inputs`, which our own form has too. The
 * file holds the question; the answer goes into the secret store, whether it is a password or not.
 */

import { HostError } from '../../errors.ts'
import type { ConfigText, Spot } from '../formats/config-text.ts'
import { boolean, type Field, list, string } from '../formats/entry-fields.ts'
import type { ConfigPlace } from '../server-config.ts'
import { digestOfText } from '../trust/fingerprint.ts'
import type { SecretStore } from '../trust/secret-store.ts'

/**
 * A value that a configuration file does not hold but asks the person for, such as a token; VS Code's `inputs` are read
 * as these.
 */
export interface ConfigInput {
  readonly id: string
  readonly kind: 'text' | 'choice'
  readonly description: string
  /** Not to be shown while it is typed, nor anywhere after. */
  readonly password: boolean
  readonly fallback?: string
  /** What may be chosen. */
  readonly options?: readonly string[]
  readonly place: ConfigPlace
}

/** Where the answers come from; `file` tells apart inputs of one name in two files. */
export interface InputSource {
  value(id: string, file: string): Promise<{ readonly value: string; readonly secret: boolean } | undefined>
}

/** Options of `createInputs`: the inputs of the configuration, where answers are kept, and who is asked. */
export interface InputsOptions {
  readonly inputs: readonly ConfigInput[]
  /** Where answers are kept. */
  readonly secrets: SecretStore
  /** Asks the person; undefined is no answer. Without it only what is kept is found. */
  readonly ask?: (input: ConfigInput) => Promise<string | undefined>
}

/**
 * Finds the values of a configuration's inputs: from the secret store, else by asking the person, whose answer is kept
 * there. Each input is asked for once, however many servers wait for it.
 *
 * @example
 * ```ts
 * import { createInputs, createSecretStore, findConfigFiles, loadConfig } from '@portico/host/config'
 *
 * const { inputs } = await loadConfig({ files: await findConfigFiles() })
 * const secrets = createSecretStore({ file: '/home/ann/.portico/secrets' })
 * const source = createInputs({ inputs, secrets, ask: async ({ id }) => process.env[id] })
 * ```
 */
export function createInputs({ inputs, secrets, ask }: InputsOptions): InputSource {
  const asked = new Map<string, Promise<string | undefined>>()
  const find = async (input: ConfigInput, name: string): Promise<string | undefined> => {
    const kept = await secrets.get(name)
    if (kept !== undefined) return kept
    const answer = await ask?.(input)
    if (answer === undefined) return undefined
    if (input.options !== undefined && !input.options.includes(answer)) {
      throw new HostError('invalid-config', `The answer for ${input.id} is none of those offered`)
    }
    await secrets.set(name, answer)
    return answer
  }
  return {
    async value(id, file) {
      const input = inputs.find((candidate) => candidate.id === id && candidate.place.file === file)
      if (input === undefined) return undefined
      const name = inputSecretName(input)
      const waiting = asked.get(name) ?? find(input, name).finally(() => asked.delete(name))
      asked.set(name, waiting)
      const value = await waiting
      return value === undefined ? undefined : { value, secret: input.password }
    },
  }
}

/** The name under which the answer is kept: another file's question of the same name has another. */
function inputSecretName({ id, place }: ConfigInput): string {
  return `input:${digestOfText(place.file).slice(0, 12)}:${id}`
}

export function readInputs(text: ConfigText, spot: Spot | undefined): Map<string, ConfigInput> {
  const inputs = new Map<string, ConfigInput>()
  if (spot === undefined) return inputs
  if (spot.node.type !== 'array') {
    text.error(spot, '`inputs` must be a list', 'Write [ { "type": "promptString", "id": … } ]')
    return inputs
  }
  for (const item of text.items(spot).slice(0, MAX_INPUTS)) {
    const input = readInput(text, item)
    if (input === undefined) continue
    if (inputs.has(input.id)) text.warn(item, 'Two inputs have this id; the last one counts', 'Rename one of them')
    inputs.set(input.id, input)
  }
  return inputs
}

const MAX_INPUTS = 500

function readInput(text: ConfigText, spot: Spot): ConfigInput | undefined {
  const members = spot.node.type === 'object' ? text.members(spot) : new Map<string, Spot>()
  const get = <T>(name: string, field: Field<T>) => {
    const found = members.get(name)
    return found && field(text, found)
  }
  const type = get('type', string)
  const id = get('id', string)
  if (id === undefined || id === '' || id.length > 128) {
    text.error(spot, 'An input needs an `id`', 'Add "id" with at most 128 characters')
    return undefined
  }
  if (type !== 'promptString' && type !== 'pickString') {
    text.error(spot, 'This type of input works in its own program alone', 'Use promptString or pickString')
    return undefined
  }
  const fallback = get('default', string)
  const options = type === 'pickString' ? get('options', list(choice)) : undefined
  if (type === 'pickString' && (options === undefined || options.length === 0)) {
    text.error(spot, 'There is nothing to choose from', 'Add "options" with at least one')
    return undefined
  }
  return {
    id,
    kind: type === 'pickString' ? 'choice' : 'text',
    description: get('description', string) ?? id,
    password: get('password', boolean) ?? false,
    ...(fallback !== undefined && { fallback }),
    ...(options && { options }),
    place: text.place(spot),
  }
}

/** An option is a string, or an object with the string as its `value`. */
const choice: Field<string> = (text, spot) => {
  const inner = spot.node.type === 'object' ? text.members(spot).get('value') : undefined
  return string(text, inner ?? spot)
}
