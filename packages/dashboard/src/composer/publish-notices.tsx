/** Notices about incidents on their way: countdown, queue, publication, unsent text. */
import { type ReactNode, useEffect, useLayoutEffect, useRef } from 'react'
import { problemText } from '../app/problem-note.tsx'
import { Button, buttonClass } from '../kit/button.tsx'
import { type State, StateMark } from '../kit/icon.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { type Composer, useOutboxState } from './composer-context.ts'
import type { ComposerDraft } from './draft.ts'
import { IncidentLink } from './incident-link.tsx'
import { type Countdown, type OutboxState, UNDO_MS } from './outbox.ts'
import classes from './publish-notices.module.css'
import { errorOfRefusal } from './publish-outcome.ts'
import type { QueuedIncident } from './unsent-storage.ts'
import { useNow } from './use-now.ts'

interface NoticesProps {
  composer: Composer
  state: OutboxState
}

export const PublishNotices = ({ composer }: { composer: Composer }) => {
  const { composer: texts } = useTexts()
  const state = useOutboxState(composer.outbox)
  const props = { composer, state }
  const { current } = state
  return (
    <section className={classes.notices} aria-label={texts.region} tabIndex={-1}>
      {state.countdowns.map((countdown) => (
        <CountdownNotice key={countdown.draft.id} composer={composer} countdown={countdown} />
      ))}
      {state.queue.map((queued) => (
        <QueuedNotice key={queued.draft.id} {...props} queued={queued} />
      ))}
      <PublishedNotice {...props} />
      {current !== null && !composer.isOpen && <DraftNotice composer={composer} draft={current} />}
    </section>
  )
}

interface NoticeProps {
  state: State
  text: string
  /** Text that changes every second, which screen readers do not announce. */
  visibleText?: string
  detail?: string
  role?: 'status' | 'alert'
  children?: ReactNode
}

const Notice = ({ state, text, visibleText, detail, role = 'status', children }: NoticeProps) => {
  const element = useRef<HTMLDivElement>(null)
  // Without it, the end of the countdown moves the focus of its button to the document.
  useLayoutEffect(() => {
    const notice = element.current
    return () => {
      if (notice?.contains(document.activeElement)) notice.closest('section')?.focus()
    }
  }, [])
  return (
    <div ref={element} className={classes.notice}>
      <StateMark state={state} />
      <div className={classes.text}>
        <p role={role} className={visibleText === undefined ? undefined : 'visually-hidden'}>
          {text}
        </p>
        {visibleText !== undefined && <p aria-hidden="true">{visibleText}</p>}
        {detail !== undefined && <p className={classes.detail}>{detail}</p>}
      </div>
      <div className={classes.actions}>{children}</div>
    </div>
  )
}

/** The incident is in the lists by then. */
const PUBLISHED_SHOWN_MS = 20_000

const secondsUntil = (timeMs: number, nowMs: number): number =>
  Math.max(Math.ceil((timeMs - nowMs) / 1_000), 0)

const CountdownNotice = ({
  composer: { outbox, open },
  countdown: { draft, body, endsAt },
}: {
  composer: Composer
  countdown: Countdown
}) => {
  const { composer: texts } = useTexts()
  const { fill, number } = useFormats()
  const seconds = secondsUntil(endsAt, useNow())
  const textOf = (left: number) =>
    fill(texts.publishing, { title: body.title ?? '', seconds: number(left) })
  const undo = () => {
    outbox.takeBack(draft.id)
    open()
  }
  return (
    <Notice state="work" text={textOf(UNDO_MS / 1_000)} visibleText={textOf(seconds)}>
      <Button emphasis="primary" onPress={undo} autoFocus>
        {texts.undo}
      </Button>
    </Notice>
  )
}

const QueuedNotice = ({
  composer: { outbox, open },
  state: { sendingIds, needsLogin },
  queued: { draft, body, attempts, nextAttemptAt },
}: NoticesProps & { queued: QueuedIncident }) => {
  const { composer: texts } = useTexts()
  const { fill, number } = useFormats()
  const seconds = secondsUntil(nextAttemptAt, useNow())
  const title = body.title ?? ''
  const isSending = sendingIds.has(draft.id)
  if (isSending && attempts === 0) {
    return <Notice state="work" text={fill(texts.sending, { title })} />
  }
  const takeBack = () => {
    outbox.takeBack(draft.id)
    open()
  }
  return (
    <Notice
      state="part"
      text={fill(needsLogin ? texts.waitsForLogin : texts.waiting, { title })}
      detail={
        needsLogin
          ? undefined
          : isSending
            ? fill(texts.sending, { title })
            : fill(texts.nextAttempt, { seconds: number(seconds) })
      }
    >
      <Button onPress={() => outbox.retryNow()} isDisabled={isSending}>
        {texts.tryNow}
      </Button>
      <Button emphasis="quiet" onPress={takeBack} isDisabled={isSending}>
        {texts.takeBack}
      </Button>
    </Notice>
  )
}

const PublishedNotice = ({ composer: { outbox }, state: { published } }: NoticesProps) => {
  const { composer: texts } = useTexts()
  const { fill } = useFormats()
  useEffect(() => {
    if (published === null) return
    const timer = setTimeout(() => outbox.dismissPublished(), PUBLISHED_SHOWN_MS)
    return () => clearTimeout(timer)
  }, [published, outbox])
  if (published === null) return null
  const { title, incident } = published
  return (
    <Notice state="ok" text={fill(texts.published, { title })}>
      {incident !== null && (
        <IncidentLink id={incident.id} className={buttonClass()}>
          {texts.open}
        </IncidentLink>
      )}
      <Button emphasis="quiet" onPress={() => outbox.dismissPublished()}>
        {texts.dismiss}
      </Button>
    </Notice>
  )
}

const DraftNotice = ({
  composer: { outbox, open },
  draft,
}: {
  composer: Composer
  draft: ComposerDraft
}) => {
  const { composer: texts } = useTexts()
  const text = useDraftText(draft)
  return (
    <Notice
      state={draft.refusal === null ? 'none' : 'down'}
      role={draft.refusal === null ? 'status' : 'alert'}
      text={text}
    >
      <Button onPress={open}>{draft.refusal === null ? texts.resume : texts.correct}</Button>
      <Button emphasis="quiet" onPress={() => outbox.discard(draft)}>
        {texts.discard}
      </Button>
    </Notice>
  )
}

const useDraftText = ({ refusal, title, line, message }: ComposerDraft): string => {
  const allTexts = useTexts()
  const { composer: texts } = allTexts
  const { fill } = useFormats()
  const shown = [title ?? '', line, message].find((text) => text.trim() !== '') ?? texts.untitled
  if (refusal === null) return fill(texts.unsent, { title: shown })
  if (refusal.kind === 'conflict') return texts.conflict
  if (refusal.kind === 'expired') return fill(texts.expired, { title: shown })
  const problem = problemText(errorOfRefusal(refusal), allTexts)
  return fill(texts.refused, { title: shown, message: problem })
}
