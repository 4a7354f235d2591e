package prometheus

import (
	"fmt"
	"time"

	client "github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"plaza/application/telemetry"
	"plaza/domain/payment"
	"plaza/domain/verification"
)

// samples are the metrics of the stored state. A vector without labels has no series before
// its first value.
type samples struct {
	payments, refunds, findings, reconciled, prepaymentAge, deletions, budget, importEnded, importTook *client.GaugeVec
	messages, messagesTaken                                                                            *client.GaugeVec
}

func newSamples(registered promauto.Factory) samples {
	gauge := func(name, help string, labels ...string) *client.GaugeVec {
		return registered.NewGaugeVec(client.GaugeOpts{Name: name, Help: help + " Aggregate with max."}, labels)
	}
	upTo := fmt.Sprintf(" Counted up to %d.", telemetry.MaxCount)
	return samples{
		payments: gauge("plaza_payments", "Payments that need review: refund_due must be paid back, disputed do not match their order."+upTo,
			"state"),
		refunds: gauge("plaza_refunds", "Refunds that need review: the money of abnormal ones left the merchant and did not arrive."+upTo,
			"state"),
		findings: gauge("plaza_wallet_findings", "Open differences between the wallet's bills and the ledger, by kind: unknown_here, "+
			"unknown_there, amount, refund."+upTo, "kind"),
		reconciled: gauge("plaza_wallet_last_reconciliation_timestamp_seconds",
			"When the wallet's bill of the latest day so far was compared with the ledger; 0: none was."),
		prepaymentAge: gauge("plaza_wallet_oldest_open_prepayment_age_seconds",
			"Age of the oldest prepayment that may still be paid; 0: there is none."),
		deletions: gauge("plaza_media_deletions_pending", "Pictures whose files are to be removed, but for those in the trash."+upTo),
		budget:    gauge("plaza_translation_budget_remaining_characters", "Characters that the translator may still be given today, in UTC."),
		importEnded: gauge("plaza_import_last_success_timestamp_seconds",
			"When the last import ended that read all of its files; rejected lines do not count as a failure."),
		importTook: gauge("plaza_import_last_duration_seconds", "How long the last import took that read all of its files."),
		messages: gauge("plaza_verification_budget_messages",
			"Messages with codes that may be sent a day, in UTC, in all and to dialling codes with a budget of their own.", "dialling_code"),
		messagesTaken: gauge("plaza_verification_budget_spent", "Messages of these budgets that were taken today.", "dialling_code"),
	}
}

// SetSample replaces the last sample. budget is the day's budget of the translator in
// characters, zero for none.
func (m *Metrics) SetSample(sample telemetry.Sample, budget int64, now time.Time) {
	s := m.samples
	s.payments.WithLabelValues(string(payment.RefundDue)).Set(float64(sample.RefundDue))
	s.payments.WithLabelValues(string(payment.Disputed)).Set(float64(sample.Disputed))
	s.refunds.WithLabelValues(string(payment.RefundAbnormal)).Set(float64(sample.AbnormalRefunds))
	for _, kind := range payment.FindingKinds() {
		s.findings.WithLabelValues(string(kind)).Set(float64(sample.OpenFindings[kind]))
	}
	s.reconciled.WithLabelValues().Set(0)
	if !sample.Reconciled.IsZero() {
		s.reconciled.WithLabelValues().Set(seconds(sample.Reconciled))
	}
	s.prepaymentAge.WithLabelValues().Set(sample.Age(now).Seconds())
	s.deletions.WithLabelValues().Set(float64(sample.Deletions))
	if budget > 0 {
		s.budget.WithLabelValues().Set(float64(sample.Remaining(budget)))
	}
	if last := sample.Import; !last.Ended.IsZero() {
		s.importEnded.WithLabelValues().Set(seconds(last.Ended))
		s.importTook.WithLabelValues().Set(last.Ended.Sub(last.Began).Seconds())
	}
}

// allCodes stands for all dialling codes in the label of one.
const allCodes = "all"

// SetMessages replaces the last sample of the budget of messages. Budgets that bound nothing have no series.
func (m *Metrics) SetMessages(b verification.Budget, taken verification.Taken) {
	set := func(diallingCode string, budget, taken int64) {
		if budget > 0 {
			m.samples.messages.WithLabelValues(diallingCode).Set(float64(budget))
			m.samples.messagesTaken.WithLabelValues(diallingCode).Set(float64(taken))
		}
	}
	set(allCodes, b.Messages, taken.Messages)
	for code, budget := range b.Codes {
		set(code, budget, taken.Codes[code])
	}
}
