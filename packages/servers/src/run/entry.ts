/** The run server as it is listed and started by name. */

import type { ServerEntry } from '../entry.ts'
import { countValue, flagValue, listValue, STRUCTURED, textValue } from '../entry-values.ts'

export const entry: ServerEntry = {
  name: 'run',
  about: 'Run JavaScript, TypeScript, Python and chosen commands without network, in bounded time, memory and files',
  positional: 'commands',
  options: {
    commands: { type: 'string', multiple: true, about: 'Programs that run_command may run', fallback: 'none' },
    readable: {
      type: 'string',
      multiple: true,
      about: 'Folders that programs in the sandbox may read',
      fallback: 'none',
    },
    packages: { type: 'string', multiple: true, about: 'Packages that code may import', fallback: 'none' },
    packageCache: {
      type: 'string',
      about: 'The folder with them: node_modules, and python for Python; nothing is fetched',
    },
    unsandboxed: {
      type: 'boolean',
      about: 'Run Python and commands with your own rights where the machine has no sandbox',
      fallback: 'false',
    },
    ask: { type: 'boolean', about: 'Ask before every run', fallback: 'true' },
    allowUnasked: { type: 'boolean', about: 'Run for clients that cannot ask their user', fallback: 'false' },
    timeMs: { type: 'number', about: 'How long one run may take', fallback: '10000' },
    memoryBytes: { type: 'number', about: 'Memory of one run', fallback: '268435456' },
    outputBytes: { type: 'number', about: 'What one run may print', fallback: '262144' },
    fileBytes: { type: 'number', about: 'What one run may keep in its folder', fallback: '16777216' },
    maxFiles: { type: 'number', about: 'Files that one run may have', fallback: '200' },
    maxProcesses: { type: 'number', about: 'Processes of one run', fallback: '32' },
    maxRunning: { type: 'number', about: 'Runs at one time', fallback: '4' },
    maxSessions: { type: 'number', about: 'Folders that one caller may keep between runs', fallback: '4' },
    structured: STRUCTURED,
  },
  async create(values) {
    const { createRunServer } = await import('./server.ts')
    return createRunServer({
      structured: flagValue(values, 'structured'),
      commands: listValue(values, 'commands'),
      readable: listValue(values, 'readable'),
      packages: listValue(values, 'packages'),
      packageCache: textValue(values, 'packageCache'),
      unsandboxed: flagValue(values, 'unsandboxed'),
      ask: flagValue(values, 'ask'),
      allowUnasked: flagValue(values, 'allowUnasked'),
      timeMs: countValue(values, 'timeMs'),
      memoryBytes: countValue(values, 'memoryBytes'),
      outputBytes: countValue(values, 'outputBytes'),
      fileBytes: countValue(values, 'fileBytes'),
      maxFiles: countValue(values, 'maxFiles'),
      maxProcesses: countValue(values, 'maxProcesses'),
      maxRunning: countValue(values, 'maxRunning'),
      maxSessions: countValue(values, 'maxSessions'),
    })
  },
}
