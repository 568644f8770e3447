import { RpcError } from '@portico/sdk/client'
import { expect, it } from 'vitest'
import { toCliError } from './failure.ts'

it.each([
  [false, 'run it in a terminal'],
  [true, undefined],
])('a tool that asks where nobody can answer (a terminal: %s) is told with what to do', (interactive, words) => {
  const missing = { requiredCapabilities: { elicitation: { form: {} } } }
  const error = new RpcError(-32_003, 'The client did not declare the capability for elicitation by form', missing)
  const { remedy } = toCliError(error, { interactive, takes: () => false })
  if (words === undefined) expect(remedy).toBeUndefined()
  else expect(remedy).toContain(words)
})
