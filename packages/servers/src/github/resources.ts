/** Files and issues as resources, for people who attach them to a conversation. */

import { resource } from '@portico/sdk/server'
import { toLine, toObject, toText } from '../vendor/values.ts'
import { foreignText } from '../vendor/vendor-host.ts'
import { pathOf, withFile } from '../vendor/vendor-path.ts'
import { quietly } from '../vendor/vendor-service.ts'
import { type GithubHost, readFile } from './host.ts'

export function createResources(host: GithubHost) {
  const { service, rule } = host
  return {
    file: resource(
      {
        uri: 'github://{owner}/{repo}/files/{+path}',
        title: 'A file',
        description: 'A file of a repository, as it is on the default branch',
        mimeType: 'text/plain',
      },
      async ({ owner, repo, path }, ctx) => {
        rule.require(owner, repo)
        const place = withFile(pathOf`/repos/${owner}/${repo}/contents`, path)
        return foreignText(host, await readFile(host, place, undefined, quietly(ctx)))
      },
    ),
    issue: resource(
      {
        uri: 'github://{owner}/{repo}/issues/{number}',
        title: 'An issue',
        description: 'The text of an issue or a pull request',
        mimeType: 'text/markdown',
      },
      async ({ owner, repo, number }, ctx) => {
        rule.require(owner, repo)
        const place = pathOf`/repos/${owner}/${repo}/issues/${number}`
        const { json } = await service.send(place, {}, quietly(ctx))
        const { title, body } = toObject(json)
        return foreignText(host, `# ${toLine(title, 300)}\n\n${toText(body)}`)
      },
    ),
  }
}
