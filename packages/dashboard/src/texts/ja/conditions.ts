/** Japanese texts of the conditions of checks. */
import type { conditions as model } from '../en/conditions.ts'

export const conditions: typeof model = {
  addCondition: '条件を追加',
  condition: '条件 {number}',
  conditionType: '条件 {number} の種類',
  comparator: '条件 {number} の比較',
  target: '条件 {number} の期待値',
  conditionTypes: {
    STATUS_CODE: 'ステータスコード',
    RESPONSE_TIME: '応答時間(ミリ秒)',
    JSON_PATH: 'JSON の値',
    HEADER: 'レスポンスヘッダー',
    BODY_CONTAINS: '本文',
    BANNER: 'サーバーのバナー',
    CERTIFICATE_DAYS: '証明書の残り日数',
    DNS_RECORD: 'DNS レコード',
    DOMAIN_DAYS: 'ドメイン登録の残り日数',
  },
  comparators: {
    EQUALS: 'が等しい',
    NOT_EQUALS: 'が等しくない',
    GREATER_THAN: 'がより大きい',
    LESS_THAN: 'がより小さい',
    CONTAINS: 'が含む',
    EXISTS: 'が存在する',
    NOT_EXISTS: 'が存在しない',
  },
}
