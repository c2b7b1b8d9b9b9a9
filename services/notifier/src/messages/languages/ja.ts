/** Japanese. */
import type { Language } from '../language.ts'

const MINUTES_PER_HOUR = 60

export const ja: Language = {
  tag: 'ja',
  direction: 'ltr',
  titled: (headline, title) => `${headline}：${title}`,
  incidentStatuses: {
    investigating: '調査中',
    identified: '原因特定',
    monitoring: '経過観察中',
    resolved: '解決済み',
  },
  impacts: { minor: '軽微', major: '重大', critical: '致命的' },
  maintenanceStatuses: {
    scheduled: '予定',
    in_progress: '実施中',
    verifying: '確認中',
    completed: '完了',
    cancelled: '中止',
  },
  maintenanceNews: {
    cancelled: 'メンテナンス中止',
    rescheduled: 'メンテナンス日程変更',
  },
  componentStatuses: {
    operational: '正常',
    degraded_performance: 'パフォーマンス低下',
    partial_outage: '一部障害',
    major_outage: '重大な障害',
    under_maintenance: 'メンテナンス中',
  },
  headlines: {
    'incident.reopened': '再発',
    'maintenance.scheduled': 'メンテナンス予定',
    'maintenance.started': 'メンテナンス開始',
    'maintenance.completed': 'メンテナンス完了',
    'maintenance.reminder': 'まもなくメンテナンス開始',
    'monitor.down': '停止',
    'monitor.degraded': '低下',
    'monitor.recovered': '復旧',
    'oncall.escalated': 'エスカレーション',
    'oncall.acknowledged': '対応開始',
    'oncall.resolved': '解決済み',
    'channel.test': 'テスト',
  },
  facts: {
    status: '状態',
    impact: '影響度',
    affected: '対象',
    started: '発生',
    resolved: '解決',
    lasted: '継続時間',
    posted: '投稿',
    from: '開始予定',
    until: '終了予定',
    completed: '完了',
    cancelled: '中止',
    since: '発生時刻',
    severity: '重要度',
    schedule: '当番表',
    told: '通知先',
    acknowledged: '対応開始',
  },
  maintenanceUpdated: 'メンテナンス更新',
  flapping: '状態が頻繁に変化しています。安定したらお知らせします。',
  severities: { critical: '緊急', warning: '警告' },
  view: {
    incident: 'インシデントを見る',
    maintenance: 'メンテナンスを見る',
    monitor: 'ステータスページを見る',
    alert: 'インシデントを見る',
  },
  coveredUpdates: (count) => `以前の更新${count}件を含みます。`,
  several: (count) => `${count}件の変更`,
  andMore: (count) => `ほか${count}件`,
  lasted(minutes) {
    if (minutes < 1) return '1分未満'
    if (minutes < MINUTES_PER_HOUR) return `${minutes}分`
    return `${Math.floor(minutes / MINUTES_PER_HOUR)}時間${minutes % MINUTES_PER_HOUR}分`
  },
  subscribed: (organizationName) =>
    `${organizationName}の通知を購読されているため、このメッセージをお送りしています。`,
  channelOf: (channelName, organizationName) =>
    `${organizationName}の通知チャネル「${channelName}」から送信されました。`,
  manage: '設定の変更・購読解除',
  confirmation: {
    subject: (pageName) => `${pageName}の購読をご確認ください`,
    question: (pageName) => `${pageName}のステータス通知を受け取りますか？`,
    validUntil: (time) => `ご確認いただくまで何も送信されません。リンクの有効期限は${time}です。`,
    action: '確認する',
    knownSubject: (pageName) => `${pageName}の購読について`,
    known: (pageName) => `このアドレスはすでに${pageName}のステータス通知を受け取っています。`,
    footer: (address, site) =>
      `どなたか（おそらくご本人）が${site}で${address}を入力されました。お心当たりがなければ、何もなさらないでください。`,
  },
  textHelp: (organizationName) =>
    `${organizationName}のステータス通知。停止はSTOP、再開はSTARTと返信してください。`,
  test: {
    title: (channelName) => `${channelName}のテスト`,
    message: 'これはテストです。お読みいただければ、チャネルは正常です。',
    component: 'サンプル',
  },
}
