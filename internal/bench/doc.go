// Package bench measures what the provider costs: calls, time, processor time and
// memory, through the real command and against the emulator. Beside the product
// stand references in the same run: a provider of the same schema that does
// nothing, on the stock framework server, which is the floor of Terraform and the
// framework; a naive mode that asks for every machine by itself; and Terraform's own
// terraform_data. One factor scales the emulator's clock and the provider's waits
// alike, so that counts stay true.
package bench
