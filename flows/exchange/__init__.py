"""What goes to other benchmarks and comes from them: MLE-bench, Inspect AI, Hugging Face."""
