/** Texts of on-call alerts; `{}` is the placeholder of a name or a time. */
import type { DescribedAlertEvent } from '@status-page/contracts'

export interface AlertTexts {
  titles: Record<DescribedAlertEvent, string>
  /** `{measured}` and `{target}` are percentages. */
  availability: string
  availabilityTarget: string
  dueAt: string
  expiresAt: string
  updateDueAt: string
}
