/** The tools that find things: repositories, issues with pull requests, and code. */

import { tool } from '@portico/sdk/server'
import { toLine, toList, toObject, toText } from '../vendor/values.ts'
import { type Context, READS } from '../vendor/vendor-host.ts'
import { pathOf } from '../vendor/vendor-path.ts'
import { day, type GithubHost, login, rows } from './host.ts'
import { PAGE_INPUT, PER_PAGE } from './inputs.ts'

type Item = ReturnType<typeof toObject>

interface Search {
  readonly title: string
  readonly description: string
  readonly kind: string
  /** The repository that a found item is in, as `owner/name`. */
  repository(item: Item): string
  line(item: Item): string
}

const SEARCHES = {
  search_repositories: {
    title: 'Search repositories',
    description: 'Finds repositories by words and qualifiers of GitHub: "cache language:go stars:>100"',
    kind: 'repositories',
    repository: ({ full_name }) => toText(full_name),
    line: (item) => {
      const { full_name, stargazers_count, language, description } = item
      return `${toLine(full_name)} · ${toText(stargazers_count)} stars · ${toLine(language, 30)} · ${toLine(description)}`
    },
  },
  search_issues: {
    title: 'Search issues and pull requests',
    description: 'Finds issues and pull requests: "repo:owner/name is:pr is:open author:ada crash"',
    kind: 'issues',
    repository: ({ repository_url }) => toText(repository_url).split('/').slice(-2).join('/'),
    line: (item) => {
      const kind = item.pull_request === undefined ? 'issue' : 'pull request'
      const where = toText(item.repository_url).split('/').slice(-2).join('/')
      return `${toLine(where)}#${toText(item.number)} ${kind} ${toLine(item.state, 10)} · ${toLine(item.title)} · ${login(item.user)} ${day(item.updated_at)}`
    },
  },
  search_code: {
    title: 'Search code',
    description: 'Finds files by what is in them: "addClass in:file repo:owner/name". Needs a token',
    kind: 'code',
    repository: ({ repository }) => toText(toObject(repository).full_name),
    line: ({ repository, path }) => `${toLine(toObject(repository).full_name)} ${toLine(path, 400)}`,
  },
} as const satisfies { readonly [name: string]: Search }

export function createSearchTools(host: GithubHost) {
  return {
    search_repositories: searchTool(host, SEARCHES.search_repositories),
    search_issues: searchTool(host, SEARCHES.search_issues),
    search_code: searchTool(host, SEARCHES.search_code),
  }
}

function searchTool(host: GithubHost, { title, description, kind, repository, line }: Search) {
  const input = {
    type: 'object',
    properties: { query: { type: 'string', minLength: 1, maxLength: 256 }, ...PAGE_INPUT },
    required: ['query'],
    additionalProperties: false,
  } as const
  return tool({ title, description, input, ...READS }, async ({ query, page = 1, start }, ctx: Context) => {
    const asked = { q: query, page, per_page: PER_PAGE }
    const answer = await host.service.send(pathOf`/search/${kind}`, { query: asked }, ctx)
    const found = toList(toObject(answer.json).items).filter((item) => {
      const [owner = '', name = ''] = repository(item).split('/')
      return host.rule.allows(owner, name)
    })
    return rows(host, answer, found.map(line), { page, start })
  })
}
