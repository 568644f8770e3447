/** What the files server says of itself before it is loaded. */

import type { ServerEntry } from '../entry.ts'
import { countValue, flagValue, listValue, STRUCTURED, textValue } from '../entry-values.ts'

export const entry: ServerEntry = {
  name: 'files',
  about: 'Directories of this machine: read, search, watch; edit, move and trash when allowed',
  positional: 'directories',
  options: {
    directories: { type: 'string', multiple: true, about: 'The directories that can be reached' },
    write: { type: 'boolean', about: 'Add the tools that change files', fallback: 'false' },
    allowUnasked: { type: 'boolean', about: 'Change files when the client cannot ask its user', fallback: 'false' },
    trash: { type: 'string', about: 'Where trashed files go', fallback: '.trash in their directory' },
    maxReadBytes: { type: 'number', about: 'Bytes that one read may return', fallback: '262144' },
    maxWriteBytes: { type: 'number', about: 'Bytes that a written file may have', fallback: '4194304' },
    maxResults: { type: 'number', about: 'Entries on one page', fallback: '200' },
    maxDepth: { type: 'number', about: 'How deep searches go', fallback: '32' },
    maxEntries: { type: 'number', about: 'Entries that one search may look at', fallback: '100000' },
    timeoutMs: { type: 'number', about: 'How long one search may take', fallback: '20000' },
    maxWatched: { type: 'number', about: 'Files watched for subscribers at one time', fallback: '2000' },
    listFiles: { type: 'boolean', about: 'Name the files themselves in the list of resources', fallback: 'false' },
    maxListed: { type: 'number', about: 'Files that the list of resources names', fallback: '1000' },
    ignore: { type: 'boolean', about: 'Leave out what .gitignore and .ignore name', fallback: 'true' },
    followRoots: { type: 'boolean', about: 'Keep to the roots of clients that offer any', fallback: 'true' },
    deny: { type: 'string', multiple: true, about: 'Names to refuse, in place of the default list of secrets' },
    ripgrep: { type: 'boolean', about: 'Use ripgrep where it is installed', fallback: 'true' },
    structured: STRUCTURED,
  },
  async create(values) {
    const { createFilesServer } = await import('./server.ts')
    return createFilesServer({
      structured: flagValue(values, 'structured'),
      directories: listValue(values, 'directories') ?? [],
      write: flagValue(values, 'write'),
      allowUnasked: flagValue(values, 'allowUnasked'),
      trash: textValue(values, 'trash'),
      maxReadBytes: countValue(values, 'maxReadBytes'),
      maxWriteBytes: countValue(values, 'maxWriteBytes'),
      maxResults: countValue(values, 'maxResults'),
      maxDepth: countValue(values, 'maxDepth'),
      maxEntries: countValue(values, 'maxEntries'),
      timeoutMs: countValue(values, 'timeoutMs'),
      maxWatched: countValue(values, 'maxWatched'),
      listFiles: flagValue(values, 'listFiles'),
      maxListed: countValue(values, 'maxListed'),
      ignore: flagValue(values, 'ignore'),
      followRoots: flagValue(values, 'followRoots'),
      deny: listValue(values, 'deny'),
      ripgrep: flagValue(values, 'ripgrep'),
    })
  },
}
