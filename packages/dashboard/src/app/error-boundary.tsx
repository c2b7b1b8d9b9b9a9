/** Catches errors of rendering, so that a fault in one view leaves the navigation usable. */
import { Component, type ReactNode } from 'react'
import { ViewProblemScreen } from './problem.tsx'

interface ErrorBoundaryState {
  error: unknown
}

export class ErrorBoundary extends Component<{ children: ReactNode }, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { error: null }

  static getDerivedStateFromError(error: unknown): ErrorBoundaryState {
    return { error }
  }

  override render(): ReactNode {
    if (this.state.error === null) return this.props.children
    return <ViewProblemScreen error={this.state.error} onRetry={() => location.reload()} />
  }
}
