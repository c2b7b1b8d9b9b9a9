/** Link to an incident in the dashboard; it does not load the page again, which ends a countdown. */
import { useRouter } from '@tanstack/react-router'
import type { MouseEvent, ReactNode } from 'react'
import { dashboardPath } from '../api/client.ts'
import { useComposer } from './composer-context.ts'

interface IncidentLinkProps {
  id: string
  className?: string
  children: ReactNode
}

export const IncidentLink = ({ id, className, children }: IncidentLinkProps) => {
  const { history } = useRouter()
  const composer = useComposer()
  const href = `${dashboardPath}/incidents/${id}`
  const navigate = (event: MouseEvent) => {
    // The browser opens another tab or window itself.
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    history.push(href)
    composer?.close()
  }
  return (
    <a href={href} className={className} onClick={navigate}>
      {children}
    </a>
  )
}
