/**
 * Preview of a status page with unsaved settings, rendered by the service. A frame with an origin of
 * its own displays it (services/gateway/src/dashboard/preview-frame.ts).
 */
import { type CSSProperties, type RefObject, useEffect, useRef, useState } from 'react'
import { dashboardPath } from '../api/client.ts'
import { ProblemNote } from '../app/problem-note.tsx'
import { Note } from '../kit/note.tsx'
import { Segmented } from '../kit/segmented.tsx'
import { useTexts } from '../texts/texts.tsx'
import classes from './designer.module.css'
import type { PageDraft } from './page-draft.ts'

type Width = 'desktop' | 'phone'
type Mode = 'light' | 'dark'

/** Width of the page in the frame, in CSS pixels; a narrower column shows it smaller. */
const frameWidthsPx: Record<Width, number> = { desktop: 1024, phone: 390 }

interface LivePreviewProps {
  mode: PageDraft['mode']
  html: string | undefined
  /** Failure of the last preview that is no error of a field. */
  error: unknown
  isInvalid: boolean
  isDirty: boolean
}

export const LivePreview = ({ mode, html, error, isInvalid, isDirty }: LivePreviewProps) => {
  const { preview: texts, modes } = useTexts().statusPages
  const [width, setWidth] = useState<Width>('desktop')
  const [chosen, setChosen] = useState<{ of: PageDraft['mode']; mode: Mode } | null>(null)
  const shownMode = chosen?.of === mode ? chosen.mode : ownModeOf(mode)
  return (
    <section className={classes.preview} aria-label={texts.title}>
      <div className={classes.previewBar}>
        <Segmented<Width>
          label={texts.width}
          options={(['desktop', 'phone'] as const).map((value) => ({ value, label: texts[value] }))}
          value={width}
          onChange={setWidth}
        />
        <Segmented<Mode>
          label={texts.mode}
          options={(['light', 'dark'] as const).map((value) => ({ value, label: modes[value] }))}
          value={shownMode}
          onChange={(value) => setChosen({ of: mode, mode: value })}
        />
        {isDirty && <span className={classes.quiet}>{texts.unsaved}</span>}
      </div>
      {isInvalid ? <Note state="slow">{texts.invalid}</Note> : <ProblemNote error={error} />}
      <PreviewFrame html={html} mode={shownMode} width={width} />
    </section>
  )
}

/** Mode of the page on the device of the user. */
const ownModeOf = (mode: PageDraft['mode']): Mode => {
  if (mode !== 'system') return mode
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
}

interface PreviewFrameProps {
  html: string | undefined
  mode: Mode
  width: Width
}

const PreviewFrame = ({ html, mode, width }: PreviewFrameProps) => {
  const { preview: texts } = useTexts().statusPages
  const frame = useRef<HTMLIFrameElement>(null)
  const [column, columnWidthPx] = useWidth()
  const isReady = useReadyFrame(frame)
  useEffect(() => {
    if (!isReady || html === undefined) return
    // The origin of the frame is opaque, so that no name of it exists.
    frame.current?.contentWindow?.postMessage({ html, mode }, '*')
  }, [isReady, html, mode])
  const frameWidthPx = frameWidthsPx[width]
  const scale = Math.min(1, columnWidthPx / frameWidthPx)
  const style = { '--frame-width': `${frameWidthPx}px`, '--frame-scale': scale } as CSSProperties
  return (
    <div ref={column} className={classes.viewport} style={style} data-width={width}>
      <iframe
        ref={frame}
        className={classes.frame}
        title={texts.frame}
        src={`${dashboardPath}/preview-frame`}
        sandbox="allow-scripts"
      />
    </div>
  )
}

/** True once the document of the frame receives messages. */
const useReadyFrame = (frame: RefObject<HTMLIFrameElement | null>): boolean => {
  const [isReady, setReady] = useState(false)
  useEffect(() => {
    const listen = ({ source, data }: MessageEvent) => {
      if (source === frame.current?.contentWindow && data === 'ready') setReady(true)
    }
    addEventListener('message', listen)
    return () => removeEventListener('message', listen)
  }, [frame])
  return isReady
}

const useWidth = (): [RefObject<HTMLDivElement | null>, number] => {
  const element = useRef<HTMLDivElement>(null)
  const [widthPx, setWidthPx] = useState(frameWidthsPx.desktop)
  useEffect(() => {
    if (element.current === null) return
    const observer = new ResizeObserver(([entry]) => {
      if (entry !== undefined && entry.contentRect.width > 0) setWidthPx(entry.contentRect.width)
    })
    observer.observe(element.current)
    return () => observer.disconnect()
  }, [])
  return [element, widthPx]
}
