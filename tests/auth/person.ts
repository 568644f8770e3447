/**
 * A person with a browser, played by plain HTTP: follows redirects, keeps cookies, fills in the login and consent pages
 * of the authorization server, and comes back to the redirect URI.
 */

import type { UserAgent } from '@portico/sdk/auth'

export interface Person extends UserAgent {
  /** The pages that were shown, by what they asked for. */
  readonly shown: string[]
}

export function createPerson(name: string): Person {
  const cookies = new Map<string, string>()
  const shown: string[] = []
  const redirectUri = 'http://127.0.0.1:8765/callback'

  async function visit(url: URL, form?: URLSearchParams): Promise<Response> {
    const cookie = [...cookies].map(([key, value]) => `${key}=${value}`).join('; ')
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie },
      ...(form !== undefined && { method: 'POST', body: form }),
    })
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      const at = pair.indexOf('=')
      cookies.set(pair.slice(0, at), pair.slice(at + 1))
    }
    return response
  }

  return {
    shown,
    redirectUri: () => redirectUri,
    async open(page) {
      const back = page.searchParams.get('redirect_uri') ?? redirectUri
      let url = page
      let form: URLSearchParams | undefined
      for (let step = 0; step < 20; step++) {
        const response = await visit(url, form)
        form = undefined
        const location = response.headers.get('location')
        if (location !== null) {
          url = new URL(location, url)
          if (url.href.startsWith(back)) return url.searchParams
          continue
        }
        const html = await response.text()
        const action = /action="([^"]+)"/.exec(html)?.[1]
        const prompt = /name="prompt" value="(\w+)"/.exec(html)?.[1]
        if (action === undefined || prompt === undefined)
          throw new Error(`a page without a form: ${html.slice(0, 500)}`)
        shown.push(prompt)
        form = new URLSearchParams({ prompt, login: name, password: 'anything' })
        url = new URL(action.replaceAll('&amp;', '&'), url)
      }
      throw new Error('the pages lead nowhere')
    },
  }
}
