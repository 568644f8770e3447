/** A real git server on HTTP: git's own backend behind a small server, with a password and what was asked of it. */

import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { git } from './fixture.ts'

export interface GitHttp {
  readonly origin: string
  /** Method, path and the authorization of each request. */
  readonly asked: { readonly path: string; readonly authorization: string | undefined }[]
  /** Sends everything elsewhere from now on. */
  redirectTo(origin: string): void
  close(): Promise<void>
}

/** Serves the bare repositories of a folder. */
export async function startGitHttp(folder: string, password?: string): Promise<GitHttp> {
  const backend = join(git(folder, '--exec-path').trim(), 'git-http-backend')
  const asked: GitHttp['asked'] = []
  let elsewhere: string | undefined
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? '/', 'http://x')
    const { authorization } = request.headers
    asked.push({ path: `${pathname}${search}`, authorization })
    if (elsewhere !== undefined) {
      response.writeHead(302, { location: `${elsewhere}${request.url}` }).end()
      return
    }
    const wanted = password && `Basic ${Buffer.from(`x-access-token:${password}`).toString('base64')}`
    if (wanted !== undefined && authorization !== wanted) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end()
      return
    }
    const child = spawn(backend, [], {
      env: {
        PATH: process.env.PATH ?? '',
        GIT_PROJECT_ROOT: folder,
        GIT_HTTP_EXPORT_ALL: '1',
        PATH_INFO: pathname,
        QUERY_STRING: search.slice(1),
        REQUEST_METHOD: request.method ?? 'GET',
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
        HTTP_GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
        REMOTE_USER: 'someone',
      },
    })
    request.pipe(child.stdin)
    const chunks: Buffer[] = []
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.on('close', () => {
      const whole = Buffer.concat(chunks)
      const end = whole.indexOf('\r\n\r\n')
      const lines = whole.toString('latin1', 0, end).split('\r\n')
      const headers = lines.map((line) => line.split(': ', 2) as [string, string])
      const status = headers.find(([name]) => name === 'Status')?.[1]
      response.writeHead(Number(status?.slice(0, 3) ?? 200), Object.fromEntries(headers))
      response.end(whole.subarray(end + 4))
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    redirectTo: (origin) => {
      elsewhere = origin
    },
    close() {
      server.closeAllConnections()
      return new Promise((done) => server.close(() => done()))
    },
  }
}
