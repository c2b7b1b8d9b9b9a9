/** Views of heartbeats, which other components do not load. */
import { lazy, Suspense } from 'react'
import { Skeleton } from '../kit/screen.tsx'
import { withTexts } from '../texts/language.ts'
import type { EditorProps } from './editor-props.ts'
import type { PingUrlDialogProps } from './ping-url-dialog.tsx'

const Cards = lazy(
  withTexts(
    async () => ({ default: (await import('./heartbeat-cards.tsx')).HeartbeatCards }),
    'heartbeats',
  ),
)

const Fields = lazy(
  withTexts(
    async () => ({ default: (await import('./heartbeat-fields.tsx')).HeartbeatFields }),
    'heartbeats',
  ),
)

const UrlDialog = lazy(
  withTexts(
    async () => ({ default: (await import('./ping-url-dialog.tsx')).PingUrlDialog }),
    'heartbeats',
  ),
)

export const LazyHeartbeatCards = (props: { id: string }) => (
  <Suspense fallback={<Skeleton rows={4} />}>
    <Cards {...props} />
  </Suspense>
)

export const LazyHeartbeatFields = (props: EditorProps) => (
  <Suspense fallback={<Skeleton rows={4} />}>
    <Fields {...props} />
  </Suspense>
)

export const LazyPingUrlDialog = (props: PingUrlDialogProps) => (
  <Suspense fallback={null}>
    <UrlDialog {...props} />
  </Suspense>
)
