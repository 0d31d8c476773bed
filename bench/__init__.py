"""The benchmarks. Figures live here, never in assertions: the machine is noisy, so ratios are taken within one run."""
