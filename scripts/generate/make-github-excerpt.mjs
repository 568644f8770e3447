/**
 * `node scripts/generate/make-github-excerpt.mjs <folder>`: writes what of GitHub's published description the tests of the github server
 * are held to. `<folder>` is where the package `@octokit/openapi` was unpacked; with 400 MB it is too large to install for a test.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const [folder = 'node_modules/@octokit/openapi'] = process.argv.slice(2)
const OUTPUT = fileURLToPath(new URL('../../packages/servers/test/fixtures/github-description.json', import.meta.url))
const REPOSITORY = '/repos/{owner}/{repo}'
const OPERATIONS = [
  ...['', '/readme', '/contents/{path}', '/commits', '/commits/{ref}', '/actions/runs'].map((path) => ['get', path]),
  ...['/actions/runs/{run_id}/jobs', '/actions/jobs/{job_id}/logs', '/issues', '/issues/{issue_number}'].map((path) => [
    'get',
    path,
  ]),
  ...['/issues/{issue_number}/comments', '/pulls', '/pulls/{pull_number}', '/pulls/{pull_number}/files'].map((path) => [
    'get',
    path,
  ]),
  ...['/pulls/{pull_number}/reviews', '/pulls/{pull_number}/comments'].map((path) => ['get', path]),
  ...['/issues', '/issues/{issue_number}/comments', '/pulls'].map((path) => ['post', path]),
  ['patch', '/issues/{issue_number}'],
].map(([method, path]) => [method, `${REPOSITORY}${path}`])
const SEARCHES = ['/search/repositories', '/search/issues', '/search/code'].map((path) => ['get', path])

const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
const description = JSON.parse(readFileSync(join(folder, 'generated', 'api.github.com.json'), 'utf8'))

const resolve = (value) => {
  const path = value?.$ref?.slice(2).split('/')
  return path === undefined ? value : resolve(path.reduce((at, name) => at[name.replaceAll('~1', '/')], description))
}

/** Links of a program and copies of what stands elsewhere are left out; lists have one item. */
function trim(value, depth = 0) {
  if (Array.isArray(value)) return value.slice(0, 1).map((item) => trim(item, depth + 1))
  if (typeof value !== 'object' || value === null) return value
  if (depth > 4) return {}
  const kept = Object.entries(value).filter(
    ([name]) => !['_links', 'repo', 'permissions'].includes(name) && (name === 'html_url' || !name.endsWith('url')),
  )
  return Object.fromEntries(kept.map(([name, member]) => [name, trim(member, depth + 1)]))
}

function operationOf([method, path]) {
  const operation = resolve(description.paths[path])[method]
  const parameters = (operation.parameters ?? []).map(resolve)
  const body = resolve(resolve(operation.requestBody)?.content?.['application/json']?.schema)
  const answer = resolve(operation.responses[method === 'post' ? 201 : 200])
  const examples = Object.values(answer?.content?.['application/json']?.examples ?? {})
    .map((example) => resolve(resolve(example).value))
    // Some are the reference of another example.
    .map((shown) => trim(shown.value ?? shown))
    // The fullest one: others show a single field.
    .sort((a, b) => JSON.stringify(b).length - JSON.stringify(a).length)
  return {
    route: `${method.toUpperCase()} ${path}`,
    query: parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name),
    body: Object.keys(body?.properties ?? {}),
    ...(examples.length > 0 && { example: examples[0] }),
  }
}

const excerpt = { source: `@octokit/openapi ${version}`, operations: [...OPERATIONS, ...SEARCHES].map(operationOf) }
writeFileSync(OUTPUT, `${JSON.stringify(excerpt, null, 1)}\n`)
