"""What is found in recordings before anything is fitted: noise, flights, bounces, impacts."""
