/** A picture for each kind of question. */

import {
  CheckCircledIcon,
  EyeOpenIcon,
  FileIcon,
  FileTextIcon,
  Link2Icon,
  MagicWandIcon,
  Pencil2Icon,
  ReaderIcon,
  UpdateIcon,
} from '@radix-ui/react-icons'
import type { ComponentType } from 'react'
import type { Question } from '../app/data/question-store.ts'

export const ICONS: {
  readonly [kind in Question['body']['kind']]: ComponentType<{ width?: number; height?: number }>
} = {
  approval: CheckCircledIcon,
  result: EyeOpenIcon,
  sampling: MagicWandIcon,
  'sampling-answer': ReaderIcon,
  form: Pencil2Icon,
  url: Link2Icon,
  roots: FileIcon,
  definition: UpdateIcon,
  trust: FileTextIcon,
}
