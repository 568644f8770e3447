/** One block of content from a server, shown by its kind. Used for results of tools, resources and prompts alike. */

import { SegmentedControl } from '@mantine/core'
import { FileIcon, Link2Icon } from '@radix-ui/react-icons'
import type { ApiResult } from 'portico/web-api'
import { type ReactNode, useMemo, useState } from 'react'
import { toSize, toVisible } from '../app/text/text.ts'
import { Note } from '../app/tone.tsx'
import classes from './content-view.module.css'
import { parseJson } from './json.ts'
import { JsonView } from './json-view.tsx'
import { OuterLink, SafeMarkdown } from './markdown.tsx'
import { TextBlock } from './text-block.tsx'
import { toAudioSource, toByteCount, toImageSource, toVideoSource } from './text-safety.ts'

type Block = ApiResult<'tools.call'>['result']['content'][number]
type Contents = ApiResult<'resources.read'>['result']['contents'][number]

export function ContentView({ block }: { readonly block: Block }) {
  switch (block.type) {
    case 'text':
      return <WordsView text={block.text} />
    case 'image':
    case 'audio':
      return <MediaView mimeType={block.mimeType} data={block.data} label={`${block.type} from the server`} />
    case 'resource_link':
      return <ResourceLinkView link={block} />
    case 'resource':
      return <ContentsView contents={block.resource} />
    default:
      return <JsonView value={block} label="Content of an unknown kind" />
  }
}

/** The contents of a resource, with where they are from. */
export function ContentsView({ contents }: { readonly contents: Contents }) {
  const { uri, mimeType } = contents
  return (
    <section className={classes.resource} aria-label={`Contents of ${toVisible(uri)}`}>
      <header className={classes.origin}>
        <FileIcon aria-hidden="true" />
        <span className={classes.uri}>{toVisible(uri)}</span>
        {mimeType !== undefined && <span className={classes.type}>{toVisible(mimeType)}</span>}
      </header>
      {'text' in contents ? (
        <WordsView text={contents.text} mimeType={mimeType} />
      ) : (
        <MediaView mimeType={mimeType ?? ''} data={contents.blob} label={`Contents of ${uri}`} />
      )}
    </section>
  )
}

type Look = 'Text' | 'Markdown' | 'JSON'

/** Words can be looked at as they are, as Markdown, or as JSON where they are that. */
function WordsView({ text, mimeType = '' }: { readonly text: string; readonly mimeType?: string | undefined }) {
  const json = useMemo(() => readTree(text), [text])
  const isMarkdown = mimeType.includes('markdown') || looksLikeMarkdown(text)
  const looks: Look[] = ['Text', ...(isMarkdown ? (['Markdown'] as const) : []), ...(json ? (['JSON'] as const) : [])]
  const [chosen, setChosen] = useState<Look>()
  const look = chosen !== undefined && looks.includes(chosen) ? chosen : (looks.at(-1) ?? 'Text')
  return (
    <div className={classes.words}>
      {looks.length > 1 && (
        <SegmentedControl
          className={classes.looks}
          size="xs"
          data={looks}
          value={look}
          onChange={setChosen}
          aria-label="Show as"
        />
      )}
      {look === 'Text' && <TextBlock text={text} />}
      {look === 'Markdown' && (
        <div className={classes.paper}>
          <SafeMarkdown text={text} />
        </div>
      )}
      {look === 'JSON' && json !== undefined && <JsonView value={json.value} />}
    </div>
  )
}

interface MediaViewProps {
  readonly mimeType: string
  readonly data: string
  readonly label: string
}

function MediaView({ mimeType, data, label }: MediaViewProps) {
  const [pixels, setPixels] = useState<string>()
  const facts = `${toVisible(mimeType)} · ${toSize(toByteCount(data))}${pixels === undefined ? '' : ` · ${pixels}`}`
  const image = toImageSource(mimeType, data)
  if (image !== undefined) {
    return (
      <Media source={image} facts={facts}>
        <img
          className={classes.image}
          src={image}
          alt={toVisible(label)}
          onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) =>
            setPixels(`${naturalWidth} × ${naturalHeight}`)
          }
        />
      </Media>
    )
  }
  const audio = toAudioSource(mimeType, data)
  if (audio !== undefined) {
    return (
      <Media source={audio} facts={facts}>
        {/* biome-ignore lint/a11y/useMediaCaption: servers send none */}
        <audio className={classes.audio} controls src={audio} aria-label={toVisible(label)} />
      </Media>
    )
  }
  const video = toVideoSource(mimeType, data)
  if (video !== undefined) {
    return (
      <Media source={video} facts={facts}>
        {/* biome-ignore lint/a11y/useMediaCaption: servers send none */}
        <video className={classes.image} controls src={video} aria-label={toVisible(label)} />
      </Media>
    )
  }
  return (
    <Note tone="calm" title={`${mimeType === '' ? 'Bytes' : toVisible(mimeType)} · ${toSize(toByteCount(data))}`}>
      This kind is not shown here, because it could hold more than a picture or sound, or is not what it says it is.
    </Note>
  )
}

interface MediaProps {
  readonly source: string
  readonly facts: string
  readonly children: ReactNode
}

/** With what it is, and a way to keep it. */
function Media({ source, facts, children }: MediaProps) {
  return (
    <figure className={classes.media}>
      {children}
      <figcaption className={classes.mediaFacts}>
        <span>{facts}</span>
        <a href={source} download={`portico.${source.slice(source.indexOf('/') + 1, source.indexOf(';'))}`}>
          Download
        </a>
      </figcaption>
    </figure>
  )
}

function ResourceLinkView({ link }: { readonly link: Extract<Block, { readonly type: 'resource_link' }> }) {
  const { uri, name, title, description, mimeType, size } = link
  const query = new URLSearchParams({ uri }).toString()
  return (
    <div className={classes.resource}>
      <header className={classes.origin}>
        <Link2Icon aria-hidden="true" />
        <strong>{toVisible(title ?? name)}</strong>
        {mimeType !== undefined && <span className={classes.type}>{toVisible(mimeType)}</span>}
        {size !== undefined && <span className={classes.type}>{toSize(size)}</span>}
      </header>
      {description !== undefined && <p className={classes.description}>{toVisible(description)}</p>}
      <div className={classes.linkFoot}>
        <OuterLink address={uri}>{toVisible(uri)}</OuterLink>
        <a href={`#/resources?${query}`}>Read it</a>
      </div>
    </div>
  )
}

/** Texts that are objects or lists of JSON; others are better read as they are. */
function readTree(text: string): { readonly value: unknown } | undefined {
  const start = text.trimStart()[0]
  if ((start !== '{' && start !== '[') || text.length > 4_000_000) return undefined
  const parsed = parseJson(text)
  return parsed.ok ? { value: parsed.value } : undefined
}

function looksLikeMarkdown(text: string): boolean {
  return /^#{1,6} \S|^[-*] \S|^\d+\. \S|^```|\*\*\S[^*\n]{0,200}\*\*|\[[^\]\n]{1,200}\]\(/m.test(text.slice(0, 4_000))
}
