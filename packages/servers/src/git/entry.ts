/** What the git server says of itself before it is loaded. */

import type { ServerEntry } from '../entry.ts'
import { countValue, flagValue, listValue, STRUCTURED, textValue } from '../entry-values.ts'

export const entry: ServerEntry = {
  name: 'git',
  about: 'Git repositories: history, differences, blame, status; stage, commit, branch, merge and stash when allowed',
  positional: 'repositories',
  options: {
    repositories: { type: 'string', multiple: true, about: 'Working trees of repositories' },
    write: { type: 'boolean', about: 'Add the tools that change a repository', fallback: 'false' },
    allowUnasked: {
      type: 'boolean',
      about: 'Merge and the like when the client cannot ask its user',
      fallback: 'false',
    },
    author: { type: 'string', about: 'Who commits, as "Name <mail>"', fallback: 'what the repository says' },
    remotes: {
      type: 'string',
      multiple: true,
      about: 'Hosts for fetch, pull and push, as github.com',
      fallback: 'none',
    },
    tokenEnv: { type: 'string', about: 'Name of the variable that holds their token', fallback: 'GIT_TOKEN' },
    tokenUser: { type: 'string', about: 'The user that goes with it', fallback: 'x-access-token' },
    maxBytes: { type: 'number', about: 'Bytes of output that one call may use', fallback: '262144' },
    maxResults: { type: 'number', about: 'Commits, branches or lines on one page', fallback: '100' },
    timeoutMs: { type: 'number', about: 'How long one run of git may take', fallback: '30000' },
    pollMs: { type: 'number', about: 'How often a repository with subscribers is looked at', fallback: '2000' },
    structured: STRUCTURED,
  },
  async create(values) {
    const { createGitServer } = await import('./server.ts')
    return createGitServer({
      structured: flagValue(values, 'structured'),
      repositories: listValue(values, 'repositories') ?? [],
      write: flagValue(values, 'write'),
      allowUnasked: flagValue(values, 'allowUnasked'),
      author: textValue(values, 'author'),
      remotes: listValue(values, 'remotes'),
      tokenEnv: textValue(values, 'tokenEnv'),
      tokenUser: textValue(values, 'tokenUser'),
      maxBytes: countValue(values, 'maxBytes'),
      maxResults: countValue(values, 'maxResults'),
      timeoutMs: countValue(values, 'timeoutMs'),
      pollMs: countValue(values, 'pollMs'),
    })
  },
}
