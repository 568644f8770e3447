/** The knowledge server as it is listed and started by name. */

import { PorticoError } from '@portico/sdk/server'
import type { ServerEntry } from '../entry.ts'
import { countValue, flagValue, listValue, STRUCTURED, textValue } from '../entry-values.ts'

export const entry: ServerEntry = {
  name: 'knowledge',
  about: 'Search a folder of documents (Markdown, text, HTML, PDF, Word), with citations',
  positional: 'directory',
  options: {
    directory: { type: 'string', about: 'The folder', fallback: 'the current one' },
    extensions: {
      type: 'string',
      multiple: true,
      about: 'Which files to take',
      fallback: 'md markdown txt text rst html htm pdf docx',
    },
    maxFileBytes: { type: 'number', about: 'Size of one file', fallback: '10485760' },
    maxFiles: { type: 'number', about: 'How many files', fallback: '5000' },
    maxWords: { type: 'number', about: 'Different words of one file', fallback: '200000' },
    maxTotalBytes: {
      type: 'number',
      about: 'Text of all files together, which is kept in memory',
      fallback: '104857600',
    },
    extractTimeoutMs: {
      type: 'number',
      about: 'How long the text of one HTML or PDF file may take',
      fallback: '20000',
    },
    embedUrl: {
      type: 'string',
      about: 'Search by meaning too: a service with the path /v1/embeddings, such as that of Ollama; texts go there',
      fallback: 'words alone',
    },
    embedModel: { type: 'string', about: 'The model that it is to use' },
    embedKeyEnv: { type: 'string', about: 'The variable with the key for it', fallback: 'no key' },
    structured: STRUCTURED,
  },
  async create(values) {
    const [url, model, keyEnv] = ['embedUrl', 'embedModel', 'embedKeyEnv'].map((option) => textValue(values, option))
    if ((url === undefined) !== (model === undefined)) {
      throw new PorticoError('invalid-arguments', 'The options "embedUrl" and "embedModel" go together')
    }
    const { createKnowledgeServer } = await import('./server.ts')
    return createKnowledgeServer({
      structured: flagValue(values, 'structured'),
      directory: textValue(values, 'directory') ?? '.',
      extensions: listValue(values, 'extensions'),
      maxFileBytes: countValue(values, 'maxFileBytes'),
      maxFiles: countValue(values, 'maxFiles'),
      maxWords: countValue(values, 'maxWords'),
      maxTotalBytes: countValue(values, 'maxTotalBytes'),
      extractTimeoutMs: countValue(values, 'extractTimeoutMs'),
      ...(url !== undefined && model !== undefined && { embed: { url, model, keyEnv } }),
    })
  },
}
