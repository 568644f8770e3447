/** Puts a handler on the server that Bun or Deno has, and says the port as workerd does by itself. */

type Handler = (request: Request) => Promise<Response>

declare const Bun: { serve(options: object): { readonly port: number } }
declare const Deno: { serve(options: object, handler: Handler): unknown }

const hostname = '127.0.0.1'

export function listen(fetch: Handler): void {
  const onListen = ({ port }: { readonly port: number }) => console.log(`{"event":"listen","port":${port}}`)
  if ('Bun' in globalThis) onListen(Bun.serve({ port: 0, hostname, fetch: (request: Request) => fetch(request) }))
  else Deno.serve({ port: 0, hostname, onListen }, (request) => fetch(request))
}
