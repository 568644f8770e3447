/** The editor server as it is listed and started by name. */

import { PorticoError } from '@portico/sdk/server'
import type { ServerEntry } from '../entry.ts'
import { countValue, flagValue, listValue, textValue } from '../entry-values.ts'

export const entry: ServerEntry = {
  name: 'editor',
  about: 'Diagnostics, definitions, references and edits of code through language servers',
  positional: 'directory',
  options: {
    directory: { type: 'string', multiple: true, about: 'The folder of the project, or several' },
    languages: {
      type: 'string',
      multiple: true,
      about: '.ext,.ext=program argument …',
      fallback: 'what the machine has',
    },
    reports: { type: 'string', multiple: true, about: 'Reports of a test runner, from the folder' },
    grammars: {
      type: 'string',
      about: 'A folder with the packages for syntax trees',
      fallback: 'where Portico is installed',
    },
    allowProjectCode: {
      type: 'boolean',
      about: 'Let language servers run what the project brings, as its own compiler',
      fallback: 'false',
    },
    write: { type: 'boolean', about: 'Let edits be written; each is asked about', fallback: 'false' },
    allowUnasked: { type: 'boolean', about: 'Write for clients that cannot ask', fallback: 'false' },
    deny: { type: 'string', multiple: true, about: 'Names of files that are never read or changed' },
    maxCharacters: { type: 'number', about: 'Characters of one answer', fallback: '20000' },
    maxFileBytes: { type: 'number', about: 'Bytes of a file', fallback: '2000000' },
    maxMemoryBytes: { type: 'number', about: 'Memory of a language server', fallback: '2000000000' },
    timeoutMs: { type: 'number', about: 'How long a language server may take to answer', fallback: '30000' },
    settleMs: { type: 'number', about: 'How long to wait for what is wrong with a file', fallback: '5000' },
  },
  async create(values) {
    const directory = listValue(values, 'directory') ?? []
    if (directory.length === 0) throw new PorticoError('invalid-arguments', 'editor needs the folder of a project')
    const { createEditorServer } = await import('./server.ts')
    return createEditorServer({
      directory,
      languages: listValue(values, 'languages'),
      reports: listValue(values, 'reports'),
      grammars: textValue(values, 'grammars'),
      allowProjectCode: flagValue(values, 'allowProjectCode'),
      write: flagValue(values, 'write'),
      allowUnasked: flagValue(values, 'allowUnasked'),
      deny: listValue(values, 'deny'),
      maxCharacters: countValue(values, 'maxCharacters'),
      maxFileBytes: countValue(values, 'maxFileBytes'),
      maxMemoryBytes: countValue(values, 'maxMemoryBytes'),
      timeoutMs: countValue(values, 'timeoutMs'),
      settleMs: countValue(values, 'settleMs'),
    })
  },
}
