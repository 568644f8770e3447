/**
 * Markdown from models and servers. Raw HTML stays text, links go to the web alone and show where, and pictures are named
 * instead of fetched: nothing in the words can reach out or run.
 */

import Markdown from 'markdown-to-jsx/react'
import { type ComponentProps, memo, type ReactNode, useState } from 'react'
import { toVisible } from '../app/text/text.ts'
import classes from './markdown.module.css'
import { ScrollBox } from './scroll-box.tsx'
import { MAX_SHOWN, ShowAll } from './text-block.tsx'
import { cutText, toImageSource, toSafeLink } from './text-safety.ts'

interface SafeMarkdownProps {
  readonly text: string
  /** More is to come: half-written marks are not shown yet. */
  readonly streaming?: boolean
}

const MAX_EVER = 400_000

export const SafeMarkdown = memo(function SafeMarkdown({ text, streaming = false }: SafeMarkdownProps) {
  const [all, setAll] = useState(false)
  const { text: shown, isCut } = cutText(text, all ? MAX_EVER : MAX_SHOWN * 2)
  return (
    <div className={classes.markdown}>
      <Markdown options={streaming ? STREAMING : OPTIONS}>{toVisible(shown)}</Markdown>
      {isCut && <ShowAll length={text.length} isMost={all} onAll={() => setAll(true)} />}
    </div>
  )
})

interface OuterLinkProps {
  readonly address: string
  readonly children?: ReactNode
}

/** A link whose words cannot hide where it goes. */
export function OuterLink({ address, children }: OuterLinkProps) {
  const link = toSafeLink(address)
  const words = children ?? address
  if (link === undefined) return <span className={classes.refused}>{words}</span>
  const isPlain = typeof words === 'string' && words.includes(link.host)
  return (
    <a className={classes.link} href={link.href} target="_blank" rel="noreferrer noopener">
      {words}
      {!isPlain && <span className={classes.host}> ({link.host})</span>}
    </a>
  )
}

function MarkdownLink({ href = '', children }: ComponentProps<'a'>) {
  return <OuterLink address={href}>{children}</OuterLink>
}

function MarkdownImage({ src, alt = '' }: ComponentProps<'img'>) {
  const found = /^data:(image\/[a-z]+);base64,(.+)$/.exec(typeof src === 'string' ? src : '')
  const source = found === null ? undefined : toImageSource(found[1] ?? '', found[2] ?? '')
  if (source !== undefined) return <img className={classes.image} src={source} alt={alt} />
  return (
    <span className={classes.refused}>
      [picture: {alt === '' ? 'unnamed' : alt}
      {typeof src === 'string' && toSafeLink(src) !== undefined && <> · {toSafeLink(src)?.host}</>}]
    </span>
  )
}

function MarkdownTable({ children }: ComponentProps<'table'>) {
  return (
    <ScrollBox className={classes.scroll} label="Table">
      <table>{children}</table>
    </ScrollBox>
  )
}

function MarkdownCode({ children }: ComponentProps<'pre'>) {
  return (
    <ScrollBox className={classes.code} label="Code">
      <pre>{children}</pre>
    </ScrollBox>
  )
}

/** Headings of a text are below those of the page. */
function MarkdownHeading({ children }: { readonly children?: ReactNode }) {
  return <p className={classes.heading}>{children}</p>
}

function MarkdownTask({ checked }: ComponentProps<'input'>) {
  return <span>{checked ? '☑ ' : '☐ '}</span>
}

const OPTIONS: ComponentProps<typeof Markdown>['options'] = {
  disableParsingRawHTML: true,
  disableFrontmatter: true,
  forceBlock: true,
  // Addresses are judged by `OuterLink`, which shows those that it refuses.
  sanitizer: (value) => value,
  // No ids: a server's heading must not be what a link of the page finds.
  slugify: () => '',
  overrides: {
    a: MarkdownLink,
    img: MarkdownImage,
    table: MarkdownTable,
    pre: MarkdownCode,
    input: MarkdownTask,
    h1: MarkdownHeading,
    h2: MarkdownHeading,
    h3: MarkdownHeading,
    h4: MarkdownHeading,
    h5: MarkdownHeading,
    h6: MarkdownHeading,
  },
}
const STREAMING = { ...OPTIONS, optimizeForStreaming: true }
