// Teaches: the page behind `connect-account.ts`. An account is connected only by the person whose call asked for it.
import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'

const LOGIN = '<form method="post"><input name="id"><input name="password" type="password"><button>Sign in</button>'
const random = (): string => randomBytes(32).toString('base64url')
type Answer = [status: number, page: string, headers?: { [name: string]: string }]

export function createAccountPage(origin: string, people: readonly { id: string; password: string }[]) {
  const [keys, logins] = [new Map<string, string>(), new Map<string, string>()]
  const links = new Map<string, { url: string; until: number }>()
  /** Good for its owner alone, once, for ten minutes. It says nothing about the owner and opens nothing by itself. */
  function createLink(owner: string): string {
    const url = `${origin}/connect?state=${random()}`
    links.set(owner, { url, until: Date.now() + 600_000 })
    return url
  }
  async function answer(req: IncomingMessage): Promise<Answer> {
    const own = req.headers.origin === origin && Number(req.headers['content-length']) <= 1000
    // A post from another site could sign the visitor in as the owner of the link, and so use the visitor's account.
    if (req.method === 'POST' && !own) return [403, 'Only this page may post here.']
    const form = new URLSearchParams(req.method === 'POST' ? await text(req) : '')
    const visitor = logins.get(/(?:^|; )login=([\w-]+)/.exec(req.headers.cookie ?? '')?.[1] ?? '')
    if (visitor === undefined) {
      const person = people.find(({ id, password }) => form.get('id') === id && form.get('password') === password)
      if (person === undefined) return [401, LOGIN]
      const login = random()
      logins.set(login, person.id)
      return [303, '', { location: origin + req.url, 'set-cookie': `login=${login}; HttpOnly; SameSite=Lax; Path=/` }]
    }
    const link = links.get(visitor)
    if (link?.url !== origin + req.url || link.until < Date.now()) return [403, 'This link is not yours or has ended.']
    const key = form.get('key')
    if (!key) return [200, '<form method="post">Key: <input name="key" type="password"><button>Connect</button>']
    if (links.delete(visitor)) keys.set(visitor, key)
    return [200, 'Connected. You may go back.']
  }
  return { keys, createLink, answer }
}
